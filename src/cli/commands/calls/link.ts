import type { Client } from '../../../contract/client/client.ts'
import { getInstanceStatus } from '../../../contract/operations/instance-operations.ts'
import { startLink } from '../../../contract/operations/link-operations.ts'
import type { InstanceConnectivity } from '../../../contract/resources/instance.ts'
import { command, Refusal } from '../../command.ts'
import { untilInterrupted } from '../../follow-events.ts'
import { explain, print } from '../../output.ts'
import { serverClient, serverOptions } from '../../server-client.ts'

/** `posthorn link`: shows each step of linking in the terminal, until the account is linked. */
export const linkCommand = command({
  name: 'link',
  summary: 'Link the account of an instance with a QR code in the terminal, or a code to type in.',
  operands: ['NAME'],
  options: {
    phone: {
      type: 'string',
      value: 'NUMBER',
      description: 'Instead of a QR code, show a code to type in on the phone with this number.',
    },
    ...serverOptions,
  },
  async run({ operands: [name = ''], options: { phone, ...options } }) {
    const { client } = serverClient(options)
    const way = phone === undefined ? ({ kind: 'qr' } as const) : ({ kind: 'code', phone } as const)
    const { body } = await client.call(startLink, { params: { name }, body: way })
    if (body.status !== 'connected') await follow(client, name)
    const { account } = (await client.call(getInstanceStatus, { params: { name } })).body
    print(`${name} is connected${account === null ? '' : ` to ${account.address}`}`)
  },
})

/** Shows the steps as they come. Resolves when the instance is connected, and throws if that failed. */
async function follow(client: Client, name: string): Promise<void> {
  const signal = untilInterrupted()
  let shown: string | undefined
  for await (const { event, data } of client.stream(getInstanceStatus, { params: { name }, signal })) {
    if (event === 'deleted') throw new Refusal(`the instance ${name} was removed`)
    const { status, link, reason } = data as InstanceConnectivity
    if (status === 'connected') return
    if (status !== 'awaiting_link' && status !== 'connecting' && status !== 'reconnecting')
      throw new Refusal(`the account was not linked${reason === null ? '' : `: ${reason.detail}`}`)
    if (link && link.value !== shown) await showStep(link)
    shown = link?.value
  }
  throw new Refusal('the server ended the connection; repeat the command')
}

/** The acts that end each kind of step. */
const whatToDo = {
  qr: 'scan it with the app on your phone',
  code: 'type it into the app on your phone',
  url: 'open it in a browser',
  question: 'answer it with `POST /v1/instances/{name}/link/answer`',
} as const

async function showStep({
  kind,
  value,
  expires_at,
}: NonNullable<InstanceConnectivity['link']>): Promise<void> {
  if (kind === 'qr') {
    const { default: qrcode } = await import('qrcode')
    print(await qrcode.toString(value, { type: 'terminal', small: true }))
  } else print(value)
  explain(`${whatToDo[kind]}, until ${expires_at}`)
}
