import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import {
  createInstance,
  getInstanceStatus,
  replaceCredentials,
} from '../../../../src/contract/operations/instance-operations.ts'
import { listMessages, sendMediaMessage } from '../../../../src/contract/operations/message-operations.ts'
import type { InstanceStatus } from '../../../../src/contract/resources/instance.ts'
import type { Message } from '../../../../src/contract/resources/message.ts'
import { sampleHeads } from '../../../kit/media-samples.ts'
import { eventually, text } from '../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'
import { startTelegram, type TelegramProcess } from '../../../simulators/telegram/start-telegram.ts'

/** The beginning of a PNG of ten by ten pixels, which is all that is read. */
const png = Buffer.from(sampleHeads['drawing.png'])
png.writeUInt32BE(10, 16)
png.writeUInt32BE(10, 20)
const pdf = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(100_000)])
const voice = Buffer.from(sampleHeads['note.opus'])

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe('a shop talks to Ana through its Telegram bot', { timeout: 120_000 }, () => {
  let telegram: TelegramProcess
  let posthorn: Posthorn
  let token: string
  let ana: number

  before(async () => {
    telegram = await startTelegram({ after: () => {} })
    const environment = { POSTHORN_TELEGRAM_API: telegram.url, POSTHORN_FETCH_ALLOW_CIDRS: '127.0.0.1/32' }
    posthorn = await startPosthorn({ environment })
    token = (await telegram.control.createBot({ username: 'Shop_bot' })).token
    ana = await telegram.control.createPerson({ first_name: 'Ana' })
    const body = { name: 'shop', network: 'telegram', settings: {}, credentials: { token } }
    const created = await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
    assert.equal(created.body.status, 'connected', JSON.stringify(created.body.reason))
  })
  after(async () => {
    await posthorn?.stop()
    await telegram?.stop()
  })

  /** The one message from Ana with these words, once it is there. */
  const received = async (words: string) => {
    const query = { instance: 'shop', direction: 'inbound', status: 'received' } as const
    const list = async () => (await posthorn.admin.call(listMessages, { query })).body.data
    const isIt = (message: Message) => [message.text, message.caption].includes(words)
    const all = await eventually(`the message “${words}”`, list, (found) => found.some(isIt))
    const [message, ...others] = all.filter(isIt)
    assert.ok(message)
    assert.deepEqual(others, [])
    return message
  }
  const write = (words: string) => telegram.control.write({ token, chat: ana, text: words })
  const say = (words: string) => text(posthorn.admin, { instance: 'shop', to: String(ana), text: words }, 20)
  const upload = (bytes: Buffer, filename: string, fields: Record<string, string>) => {
    const body = new FormData()
    const all = { instance: 'shop', to: String(ana), filename, ...fields }
    for (const [name, value] of Object.entries(all)) body.set(name, value)
    body.set('file', new Blob([new Uint8Array(bytes)]), 'upload.bin')
    return body
  }
  const sent = async (body: Parameters<typeof sendBody>[0]): Promise<Message> => {
    const message = await sendBody(body)
    assert.equal(message.status, 'sent', JSON.stringify(message.error))
    return message
  }
  const sendBody = async (body: FormData | { instance: string; to: string; kind: 'document'; url: string }) =>
    (await posthorn.admin.call(sendMediaMessage, { body, waitSeconds: 20 })).body
  const isStatus = (status: InstanceStatus) =>
    eventually(
      `the status ${status}`,
      async () => (await posthorn.admin.call(getInstanceStatus, { params: { name: 'shop' } })).body,
      (connectivity) => connectivity.status === status,
    )

  test('Ana writes first, and the shop answers', async () => {
    const { account } = await isStatus('connected')
    assert.deepEqual(account, {
      address: '@shop_bot',
      display_name: 'Shop_bot',
      url: 'https://t.me/Shop_bot',
    })
    await write('Is it open today?')
    const question = await received('Is it open today?')
    assert.deepEqual([question.from, question.to], [String(ana), '@shop_bot'])
    const answer = await say('Until six.')
    assert.equal(answer.status, 'sent')
    const [seen] = await telegram.control.received({ token, chat: ana, count: 1 })
    assert.equal(seen?.text, 'Until six.')
    assert.equal(answer.network_message_id, `${ana}:${seen?.message_id}`)
  })

  test('what the shop sends as files arrives byte for byte, from an upload and from a URL', async (t) => {
    const web = createServer((_request, response) => response.end(pdf)).listen(0, '127.0.0.1')
    await once(web, 'listening')
    t.after(() => web.close())
    const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/invoice.pdf`
    const before = (await telegram.control.received({ token, chat: ana })).length
    await sent(upload(pdf, 'Größe.pdf', { kind: 'document', caption: 'Your invoice' }))
    await sent({ instance: 'shop', to: String(ana), kind: 'document', url })
    await sent(upload(png, 'view.png', { kind: 'image' }))
    await sent(upload(voice, 'note.ogg', { kind: 'audio', voice: 'true' }))
    const seen = await telegram.control.received({ token, chat: ana, count: before + 4 })
    assert.deepEqual(
      seen.slice(before).map(({ kind, caption, filename, sha256 }) => [kind, caption, filename, sha256]),
      [
        ['document', 'Your invoice', 'Größe.pdf', digestOf(pdf)],
        ['document', undefined, 'invoice.pdf', digestOf(pdf)],
        ['photo', undefined, 'view.png', digestOf(png)],
        ['voice', undefined, 'note.ogg', digestOf(voice)],
      ],
    )
  })

  test('an image that Telegram does not take as a photo arrives as a document, and the sender is told', async () => {
    const wide = Buffer.from(png)
    wide.writeUInt32BE(9_000, 16)
    const { notices } = await sent(upload(wide, 'wide.png', { kind: 'image' }))
    assert.deepEqual(
      notices.map(({ code }) => code),
      ['sent_as_document'],
    )
    const seen = await telegram.control.received({ token, chat: ana })
    assert.deepEqual([seen.at(-1)?.kind, seen.at(-1)?.sha256], ['document', digestOf(wide)])
  })

  test('a file that Ana sends is fetched, and an edit names the message that it corrects', async () => {
    const document = { base64: pdf.toString('base64'), filename: 'order.pdf', type: 'application/pdf' }
    const id = await telegram.control.write({ token, chat: ana, document, caption: 'My order' })
    const order = await received('My order')
    assert.equal(order.kind, 'document')
    const headers = { authorization: `Bearer ${posthorn.adminKey}` }
    const response = await eventually(
      'the file',
      () => posthorn.admin.rawRequest('GET', `/v1/messages/${order.id}/media`, { headers }),
      ({ status }) => status !== 409,
    )
    assert.equal(response.status, 200, JSON.stringify(response.json))
    assert.equal(digestOf(response.bytes), digestOf(pdf))
    await telegram.control.edit({ token, chat: ana, message_id: id, caption: 'My other order' })
    const { relation } = await received('My other order')
    assert.deepEqual([relation?.type, relation?.message_id], ['correction', order.id])
  })

  test('an answer of Ana names the message that it replies to', async () => {
    const offer = await say('Shall we deliver it?')
    const reply_to = Number(offer.network_message_id?.split(':')[1])
    await telegram.control.write({ token, chat: ana, text: 'Yes, please', reply_to })
    assert.deepEqual((await received('Yes, please')).relation, {
      type: 'reply',
      message_id: offer.id,
      network_message_id: offer.network_message_id,
    })
  })

  test('after a restart, nothing is lost and nothing comes twice', async () => {
    await telegram.control.polling({ token })
    await write('I wrote before')
    posthorn = await posthorn.restart()
    await received('I wrote before')
    await write('Are you still there?')
    await received('Are you still there?')
    await received('Is it open today?')
    await telegram.control.pending({ token, most: 0 })
  })

  test('a message whose answer was lost becomes unknown, and is not sent again', async () => {
    const before = (await telegram.control.received({ token, chat: ana })).length
    await telegram.control.fault({ method: 'sendMessage', fault: { kind: 'cut', taken: true } })
    assert.equal((await say('Once only')).status, 'unknown')
    assert.equal((await say('And on')).status, 'sent')
    const seen = await telegram.control.received({ token, chat: ana })
    assert.deepEqual(
      seen.slice(before).map((message) => message.text),
      ['Once only', 'And on'],
    )
  })

  test('a stranger cannot be written to, and somebody who blocked the bot neither', async () => {
    const unknownPerson = await telegram.control.createPerson({ first_name: 'Bob' })
    const failed = async (to: number) => {
      const body = { instance: 'shop', to: String(to), text: 'Hello' }
      const message = await text(posthorn.admin, body, 20)
      return [message.status, message.error?.code]
    }
    assert.deepEqual(await failed(unknownPerson), ['failed', 'recipient_unknown'])
    await telegram.control.setStanding({ token, chat: ana, standing: 'blocked' })
    assert.deepEqual(await failed(ana), ['failed', 'recipient_blocked'])
    await telegram.control.setStanding({ token, chat: ana, standing: 'open' })
  })

  test('a revoked token logs the instance out, and a new one connects it again', async () => {
    const fresh = await telegram.control.revokeToken({ token })
    const { reason } = await isStatus('logged_out')
    assert.equal(reason?.code, 'token_refused')
    const body = { credentials: { token: fresh } }
    const params = { name: 'shop' }
    const { status } = (await posthorn.admin.call(replaceCredentials, { params, body, waitSeconds: 20 })).body
    assert.equal(status, 'connected')
    token = fresh
    await write('And now?')
    await received('And now?')
    assert.equal((await say('Now again.')).status, 'sent')
  })
})
