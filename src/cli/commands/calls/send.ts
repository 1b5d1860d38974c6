import { randomUUID } from 'node:crypto'
import { openAsBlob, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Client, ProblemError } from '../../../contract/client/client.ts'
import { getInstanceStatus } from '../../../contract/operations/instance-operations.ts'
import { sendTextMessage, uploadMediaMessage } from '../../../contract/operations/message-operations.ts'
import type { Message } from '../../../contract/resources/message.ts'
import { mediaKinds } from '../../../contract/statuses.ts'
import { command, json, Refusal, WrongUsage } from '../../command.ts'
import { explain, print, printJson } from '../../output.ts'
import { serverClient, serverOptions } from '../../server-client.ts'

/** Seconds for which the command waits until the message was sent. */
const waitSeconds = 20
/** Milliseconds before a request that was not answered is repeated. */
const pauses = [500, 2_000]

/** `posthorn send`. A request that was not answered is repeated with its key, so that nothing is sent twice. */
export const send = command({
  name: 'send',
  summary: 'Send a text or a file. Without --text and --file, the text comes on standard input.',
  operands: ['INSTANCE', 'TO'],
  options: {
    text: { type: 'string', value: 'TEXT', description: 'The text.' },
    file: { type: 'string', value: 'PATH', description: 'The file to send.' },
    kind: {
      type: 'string',
      value: mediaKinds.join('|'),
      description: 'How the file is sent. By default, as a document.',
    },
    caption: { type: 'string', value: 'TEXT', description: 'The text below the file.' },
    ...{ ...serverOptions, json },
  },
  async run({ operands: [instance = '', to = ''], options }) {
    const { text, file, kind = 'document', caption } = options
    if (text !== undefined && file !== undefined) throw new WrongUsage('--text and --file do not go together')
    if (!mediaKinds.some((known) => known === kind))
      throw new WrongUsage(`--kind is one of ${mediaKinds.join(', ')}, not "${kind}"`)
    const { client } = serverClient(options)
    const call = { idempotencyKey: randomUUID(), waitSeconds }
    const sent = file === undefined ? textOf(text) : undefined
    const form = file === undefined ? undefined : await formOf(file, { instance, to, kind, caption })
    const { body } = await insist(() =>
      form
        ? client.call(uploadMediaMessage, { body: form, ...call })
        : client.call(sendTextMessage, { body: { instance, to, text: sent ?? '' }, ...call }),
    )
    report(body, options.json)
    if (body.status === 'queued') await explainWait(client, instance)
  },
})

function textOf(text: string | undefined): string {
  if (text !== undefined) return text
  if (process.stdin.isTTY) explain('type the text, and end it with Ctrl-D')
  return readFileSync(0, 'utf8').replace(/\n$/, '')
}

async function formOf(
  file: string,
  { caption, ...fields }: { instance: string; to: string; kind: string; caption: string | undefined },
): Promise<FormData> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  if (caption !== undefined) form.append('caption', caption)
  const bytes = await openAsBlob(file).catch((error: Error) => {
    throw new Refusal(`the file ${file} cannot be read: ${error.message}`)
  })
  form.append('file', bytes, basename(file))
  return form
}

/** Repeats a call that was not answered; one that was refused is not repeated. */
async function insist<Result>(call: () => Promise<Result>): Promise<Result> {
  for (const pause of pauses) {
    try {
      return await call()
    } catch (error) {
      if (error instanceof ProblemError && !error.problem.retryable) throw new Refusal(error.message)
      await wait(pause)
    }
  }
  return call()
}

/** Says why a message may still be queued, and what to do. */
async function explainWait(client: Client, name: string): Promise<void> {
  const { status, action, reason } = (await client.call(getInstanceStatus, { params: { name } })).body
  if (status === 'connected') return
  const next =
    action === 'link' || action === 'relink' ? `; link its account with \`npx posthorn link ${name}\`` : ''
  explain(`The message waits, because the instance is ${status}${next}.${reason ? ` ${reason.detail}` : ''}`)
}

function report(message: Message, asJson: boolean | undefined): void {
  if (asJson) printJson(message)
  else print(`${message.id} ${message.status}`)
  if (message.error) explain(`${message.error.code}: ${message.error.detail}`)
  if (message.status === 'failed') process.exitCode = 1
}
