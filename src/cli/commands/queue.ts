import type { AuditNote } from '../../contract/resources/audit.ts'
import { allHeld, decideHeld, type HeldQueue } from '../../messages/outbox/recovery/held.ts'
import { byOperator } from '../../organizations/audit-log.ts'
import type { Store } from '../../store/store.ts'
import { type Command, command, json, type Option, Refusal, type Values } from '../command.ts'
import { print, printJson, tableOf } from '../output.ts'
import { withStore } from '../store.ts'

const choice = {
  organization: { type: 'string', value: 'NAME', description: 'Only those of this organization.' },
  instance: { type: 'string', value: 'NAME', description: 'Only those of the instances with this name.' },
} as const satisfies Record<string, Option>

/** `posthorn queue list`: what is held since the server went back to a backup. */
export const listQueue = command({
  name: 'queue list',
  summary: 'List the messages that are held because the server was restored from a backup, by instance.',
  options: { ...choice, json },
  async run({ options }) {
    const queues = await withStore((store) => chosen(store, options))
    const rows = queues.map(({ organization, instance, messages }) => ({ organization, instance, messages }))
    if (options.json) printJson({ held: rows })
    else if (rows.length === 0) print('no messages are held')
    else
      print(
        tableOf(rows, {
          Organization: ({ organization }) => organization,
          Instance: ({ instance }) => instance,
          Messages: ({ messages }) => String(messages),
        }),
      )
  },
})

/** `posthorn queue send` and `posthorn queue fail`: the operator's decision about what is held. */
export const sendQueue = decision(
  'send',
  'Send the held messages; those that were sent after the backup are sent again.',
)
export const failQueue = decision(
  'fail',
  'Do not send the held messages; they become `unknown`, because they may have been sent.',
)

function decision(word: 'send' | 'fail', summary: string): Command {
  return command({
    name: `queue ${word}`,
    summary,
    options: { ...choice, json },
    async run({ options }) {
      const messages = await withStore(async (store) => decideAll(store, await chosen(store, options), word))
      if (options.json) printJson({ messages })
      else print(`${messages} messages ${word === 'send' ? 'are sent' : 'were given up'}`)
    },
  })
}

async function chosen(store: Store, { organization, instance }: Values<typeof choice>): Promise<HeldQueue[]> {
  const queues = await allHeld(store)
  const fits = queues.filter(
    (queue) =>
      (organization === undefined || queue.organization === organization) &&
      (instance === undefined || queue.instance === instance),
  )
  if (fits.length === 0 && queues.length > 0)
    throw new Refusal('no messages are held there; `npx posthorn queue list` shows where messages are held')
  return fits
}

/** So many at a time, so that a running server is never held up. */
const decidedAtOnce = 200

/** Decides about everything that these queues hold; tells how many messages that were. */
export async function decideAll(
  store: Store,
  queues: readonly HeldQueue[],
  word: 'send' | 'fail',
): Promise<number> {
  let messages = 0
  const action = word === 'send' ? 'sendQueue' : 'failQueue'
  for (const { instanceId, instance, organizationId } of queues) {
    let audit: AuditNote | undefined = byOperator(action, organizationId, Date.now(), {
      target: instance,
      instance,
    })
    for (;;) {
      const queue = { organizationId, instanceId }
      const args = { decision: word, ...queue, limit: decidedAtOnce, now: Date.now(), audit }
      const decided = await store.transact(decideHeld, args)
      messages += decided
      audit = undefined
      if (decided < decidedAtOnce) break
    }
  }
  return messages
}
