import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PNG } from 'pngjs'
import { createInstance, stopInstance } from '../../../src/contract/operations/instance-operations.ts'
import { sendMediaMessage } from '../../../src/contract/operations/message-operations.ts'
import { createWebhook, testWebhook } from '../../../src/contract/operations/webhook-operations.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import { WebhookReceiver } from '../far-ends/webhook-receiver.ts'
import { eventually, everythingReceived, inMs, reaches, text } from '../play.ts'
import { type Posthorn, startPosthorn } from '../posthorn.ts'

/** Words of people in the data that the console shows. */
export interface Words {
  readonly label: string
  readonly texts: readonly [string, ...string[]]
  readonly caption: string
  readonly filename: string
  readonly reference: string
  /** Response of the receiver of webhooks when it fails. */
  readonly answer: string
  /** HTML that is sent as a file. */
  readonly page: string
}

/** A server with something of everything that a console shows. */
export interface Furnished {
  readonly posthorn: Posthorn
  /** Token with which the operator signs in. */
  readonly operatorToken: string
  /**
   * Messages that were sent with a picture and with a page of HTML, and one that came with the file of an unknown sender.
   */
  readonly sentPicture: Message
  readonly sentPage: Message
  readonly receivedFile: Message
  /** The values of the names in the patterns of the places, such as `:name`. */
  readonly named: Readonly<Record<string, string>>
  stop(): Promise<void>
}

export async function startFurnished(words: Words): Promise<Furnished> {
  const receiver = await WebhookReceiver.start((received, response) => {
    if (received.event.type === 'message.failed') response.writeHead(500).end(words.answer)
    else response.writeHead(204).end()
  })
  const environment = { POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' }
  const posthorn = await startPosthorn({ environment })
  const webhook = await furnishInstances(posthorn, receiver, words)
  const messages = await furnishMessages(posthorn, words)
  await eventually(
    'the webhook to fail',
    async () => receiver.received,
    (received) => received.some(({ event }) => event.type === 'message.failed'),
  )
  const failed = receiver.received.find(({ event }) => event.type === 'message.failed')
  return {
    posthorn,
    operatorToken: readFileSync(join(posthorn.data, 'operator.token'), 'utf8').trim(),
    ...messages,
    named: {
      name: 'shop',
      instance: 'shop',
      id: messages.sentPicture.id,
      webhook,
      event: failed?.event.id ?? '',
      address: messages.receivedFile.from ?? '',
      organization: 'partner',
      group: 'team@group.sandbox',
    },
    async stop() {
      await posthorn.stop()
      await receiver.stop()
    },
  }
}

async function furnishInstances(
  posthorn: Posthorn,
  receiver: WebhookReceiver,
  { label }: Words,
): Promise<string> {
  const { admin } = posthorn
  const make = (name: string, settings = {}, credentials?: { token: string }) =>
    admin.call(createInstance, {
      body: {
        name,
        network: 'sandbox',
        settings,
        metadata: { customer: label },
        ...(credentials && { credentials }),
      },
      waitSeconds: 20,
    })
  await Promise.all([
    make('shop'),
    make('support', { reply_window_seconds: 3_600 }),
    make('bakery', { link: 'qr', links_after_seconds: 3_600, link_step_seconds: 3_600 }),
    make('branch', {}, { token: 'refused' }),
    make('archive'),
    posthorn.createOrganization('partner'),
    posthorn.createKey('default', 'send', { instances: ['shop'] }),
    posthorn.createKey('default', 'read', { expires_at: Date.now() + 30 * 24 * 3_600_000 }),
  ])
  await admin.call(stopInstance, { params: { name: 'archive' } })
  const { body } = await admin.call(createWebhook, { body: { url: `${receiver.url}/posthorn` } })
  await admin.call(testWebhook, { params: { webhook: body.id } })
  return body.id
}

async function furnishMessages({ admin }: Posthorn, { texts, caption, filename, reference, page }: Words) {
  const send = (to: string, at = 0, more = {}) =>
    text(admin, { instance: 'shop', to, text: texts[at % texts.length] as string, ...more }, 20)
  const sendFile = (
    name: string,
    type: string,
    bytes: string | Uint8Array<ArrayBuffer>,
    kind: 'image' | 'document',
  ) => {
    const form = new FormData()
    const fields = { instance: 'shop', to: 'ana@reads.sandbox', kind, caption, filename: name }
    for (const [field, value] of Object.entries(fields)) form.set(field, value)
    form.set('file', new Blob([bytes], { type }), name)
    return admin.call(sendMediaMessage, { body: form, waitSeconds: 20 })
  }
  const [picture, document] = await Promise.all([
    sendFile(filename, 'image/png', pixels(), 'image'),
    sendFile('order.html', 'text/html', page, 'document'),
    send('ana@reads.sandbox', 0, { client_ref: reference }),
    send('carla@replies.sandbox', 1),
    send('bruno@delivers.sandbox', 2),
    send('dora@refuses.sandbox', 3, { client_ref: reference }),
    text(admin, { instance: 'shop', to: 'eva@shares-by-reference.sandbox', text: page }, 20),
    text(admin, { instance: 'shop', to: 'ana@reads.sandbox', text: texts[0], send_at: inMs(86_400_000) }),
    text(admin, { instance: 'archive', to: 'ana@reads.sandbox', text: texts[0] }),
  ])
  const received = await eventually(
    'what others sent',
    () => everythingReceived(admin, 'shop'),
    (all) => all.length === 2 && all.some(({ media }) => media?.mime_type),
  )
  return {
    sentPicture: await reaches(admin, picture.body.id, 'read'),
    sentPage: await reaches(admin, document.body.id, 'read'),
    receivedFile: received.find(({ media }) => media) as Message,
  }
}

/** A small picture: two colours that run into each other. */
function pixels(): Uint8Array<ArrayBuffer> {
  const png = new PNG({ width: 160, height: 100 })
  for (let at = 0; at < 160 * 100; at++)
    png.data.set([90 + (at % 160), 140, 240 - Math.floor(at / 160), 255], at * 4)
  return new Uint8Array(PNG.sync.write(png))
}
