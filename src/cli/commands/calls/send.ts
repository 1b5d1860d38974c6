import { randomUUID } from 'node:crypto'
import { openAsBlob, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Client } from '../../../contract/client/client.ts'
import {
  sendContactsMessage,
  sendInteractiveMessage,
  sendLocationMessage,
  sendPollMessage,
} from '../../../contract/operations/content-operations.ts'
import { getInstanceStatus } from '../../../contract/operations/instance-operations.ts'
import {
  sendTemplateMessage,
  sendTextMessage,
  uploadMediaMessage,
} from '../../../contract/operations/message-operations.ts'
import type { Message } from '../../../contract/resources/message.ts'
import { mediaKinds } from '../../../contract/statuses.ts'
import { command, json, Refusal, WrongUsage } from '../../command.ts'
import { explain } from '../../output.ts'
import { serverClient, serverOptions } from '../../server-client.ts'
import { contentOfFlags, contentOptions, type GivenContent, listed, refuseDropped } from './contents.ts'
import { insist, reportMessage, secondsToWait } from './insist.ts'

/** `posthorn send`. A request that was not answered is repeated with its key, so that nothing is sent twice. */
export const send = command({
  name: 'send',
  summary:
    'Send a text, a file, a location, a contact, a poll, choices or a template. Without any of them, the text is read from standard input.',
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
    'reply-to': { type: 'string', value: 'ID', description: 'The message that it replies to.' },
    mentions: {
      type: 'string',
      value: 'ADDRESSES',
      description:
        'Those whom the text or the caption mentions in a group, by commas; write each in it as @ADDRESS.',
    },
    topic: { type: 'string', value: 'ID', description: 'The topic, by the topic.id of a message in it.' },
    ...contentOptions,
    ...{ ...serverOptions, json },
  },
  async run({ operands: [instance = '', to = ''], options }) {
    const { text, file, kind = 'document', caption } = options
    if (!mediaKinds.some((known) => known === kind))
      throw new WrongUsage(`--kind is one of ${mediaKinds.join(', ')}, not "${kind}"`)
    const content = contentOfFlags(options)
    if (file !== undefined && content) throw new WrongUsage(`--file goes with no ${content.kind}`)
    if (options.mentions !== undefined && content)
      throw new WrongUsage(`--mentions goes with no ${content.kind}`)
    const mentions = listed(options.mentions ?? '')
    refuseDropped(options)
    const { client } = serverClient(options)
    const { 'reply-to': replyTo, topic } = options
    const common = {
      ...{ instance, to },
      ...(replyTo !== undefined && { reply_to: replyTo }),
      ...(topic !== undefined && { topic }),
    }
    const body = content
      ? await sendContent(client, common, content)
      : file === undefined
        ? await sendText(client, { ...common, ...(mentions.length > 0 && { mentions }) }, text)
        : await sendFile(client, file, {
            ...common,
            kind,
            ...(caption !== undefined && { caption }),
            ...(mentions.length > 0 && { mentions: JSON.stringify(mentions) }),
          })
    reportMessage(body, options.json)
    if (body.status === 'queued') await explainWait(client, instance)
  },
})

interface Common {
  readonly instance: string
  readonly to: string
  readonly reply_to?: string
  readonly topic?: string
}

const once = () => ({ idempotencyKey: randomUUID(), waitSeconds: secondsToWait })

async function sendText(
  client: Client,
  common: Common & { readonly mentions?: string[] },
  given: string | undefined,
): Promise<Message> {
  const body = { ...common, text: textOf(given) }
  const call = once()
  return (await insist(() => client.call(sendTextMessage, { body, ...call }))).body
}

async function sendFile(
  client: Client,
  file: string,
  fields: Readonly<Record<string, string>>,
): Promise<Message> {
  const body = await formOf(file, fields)
  const call = once()
  return (await insist(() => client.call(uploadMediaMessage, { body, ...call }))).body
}

async function sendContent(client: Client, common: Common, content: GivenContent): Promise<Message> {
  const call = once()
  const send = () => {
    if (content.kind === 'location')
      return client.call(sendLocationMessage, { body: { ...common, ...content.body }, ...call })
    if (content.kind === 'contacts')
      return client.call(sendContactsMessage, { body: { ...common, ...content.body }, ...call })
    if (content.kind === 'poll')
      return client.call(sendPollMessage, { body: { ...common, ...content.body }, ...call })
    if (content.kind === 'template')
      return client.call(sendTemplateMessage, { body: { ...common, ...content.body }, ...call })
    return client.call(sendInteractiveMessage, { body: { ...common, ...content.body }, ...call })
  }
  return (await insist(send)).body
}

function textOf(text: string | undefined): string {
  if (text !== undefined) return text
  if (process.stdin.isTTY) explain('type the text, and end it with Ctrl-D')
  return readFileSync(0, 'utf8').replace(/\n$/, '')
}

async function formOf(file: string, fields: Readonly<Record<string, string>>): Promise<FormData> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  const bytes = await openAsBlob(file).catch((error: Error) => {
    throw new Refusal(`the file ${file} cannot be read: ${error.message}`)
  })
  form.append('file', bytes, basename(file))
  return form
}

/** Says why a message may still be queued, and what to do. */
async function explainWait(client: Client, name: string): Promise<void> {
  const { status, action, reason } = (await client.call(getInstanceStatus, { params: { name } })).body
  if (status === 'connected') return
  const next =
    action === 'link' || action === 'relink' ? `; link its account with \`npx posthorn link ${name}\`` : ''
  explain(`The message waits, because the instance is ${status}${next}.${reason ? ` ${reason.detail}` : ''}`)
}
