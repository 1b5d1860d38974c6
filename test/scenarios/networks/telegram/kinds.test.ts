import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { ProblemError } from '../../../../src/contract/client/client.ts'
import { listConversations } from '../../../../src/contract/operations/conversation-operations.ts'
import { createInstance, getInstanceStatus } from '../../../../src/contract/operations/instance-operations.ts'
import { listMessages, sendMediaMessage } from '../../../../src/contract/operations/message-operations.ts'
import type { MediaKind } from '../../../../src/contract/resources/message.ts'
import { sampleHeads } from '../../../kit/media-samples.ts'
import { eventually, everythingReceived, text } from '../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'
import type { Received } from '../../../simulators/telegram/chats.ts'
import { startTelegram, type TelegramProcess } from '../../../simulators/telegram/start-telegram.ts'
import { TestBot } from '../../../simulators/telegram/test-bot.ts'

/** The beginning of a PNG of ten by ten pixels, which is all that is read. */
const png = Buffer.from(sampleHeads['drawing.png'])
png.writeUInt32BE(10, 16)
png.writeUInt32BE(10, 20)
const pdf = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(100_000)])

interface Sent {
  readonly kind: MediaKind
  readonly voice?: true
  readonly filename: string
  readonly bytes: Buffer
  /** As what Telegram shows it. */
  readonly shown: Received['kind']
}

const kinds: readonly Sent[] = [
  { kind: 'document', filename: 'order.pdf', bytes: pdf, shown: 'document' },
  { kind: 'image', filename: 'view.png', bytes: png, shown: 'photo' },
  { kind: 'audio', filename: 'song.mp3', bytes: Buffer.from(sampleHeads['song.mp3']), shown: 'audio' },
  {
    kind: 'audio',
    voice: true,
    filename: 'note.ogg',
    bytes: Buffer.from(sampleHeads['note.opus']),
    shown: 'voice',
  },
]

/**
 * Telegram's status and words, the fate of the message, and the advice to its sender (tdlib/telegram-bot-api, Client.cpp;
 * https://core.telegram.org/api/errors).
 */
const refusals: readonly (readonly [number, string, string, RegExp])[] = [
  [403, 'Forbidden: bot was blocked by the user', 'recipient_blocked', /another recipient/],
  [400, 'Bad Request: USER_IS_BLOCKED', 'recipient_blocked', /another recipient/],
  [403, 'Forbidden: user is deactivated', 'recipient_gone', /another recipient/],
  [403, "Forbidden: bot can't initiate conversation with a user", 'recipient_not_started', /press Start/],
  [403, 'Forbidden: bot was kicked from the group chat', 'bot_removed', /add the bot/],
  [403, 'Forbidden: bot was kicked from the supergroup chat', 'bot_removed', /add the bot/],
  [403, 'Forbidden: bot is not a member of the channel chat', 'bot_removed', /add the bot/],
  [400, 'Bad Request: USER_BANNED_IN_CHANNEL', 'bot_removed', /add the bot/],
  [400, 'Bad Request: CHANNEL_PRIVATE', 'bot_removed', /add the bot/],
  [403, 'Forbidden: the group chat was deleted', 'recipient_gone', /another recipient/],
  [400, 'Bad Request: chat not found', 'recipient_unknown', /Check the address/],
  [400, 'Bad Request: chat_id is empty', 'recipient_unknown', /Check the address/],
  [400, 'Bad Request: private chat not found', 'recipient_unknown', /Check the address/],
  [400, 'Bad Request: PEER_ID_INVALID', 'recipient_unknown', /Check the address/],
  [400, 'Bad Request: message is too long', 'text_too_long', /shorter/],
  [400, 'Bad Request: MEDIA_CAPTION_TOO_LONG', 'text_too_long', /shorter/],
  [400, 'Bad Request: message text is empty', 'text_empty', /Send a text/],
  [400, 'Bad Request: file is too big', 'file_too_large', /smaller file/],
  [400, 'Bad Request: not enough rights to send text messages to the chat', 'not_allowed', /the right to/],
  [400, 'Bad Request: CHAT_WRITE_FORBIDDEN', 'not_allowed', /the right to/],
  [400, 'Bad Request: CHAT_SEND_PLAIN_FORBIDDEN', 'not_allowed', /the right to/],
  [400, 'Bad Request: CHAT_SEND_DOCS_FORBIDDEN', 'not_allowed', /the right to/],
  [400, 'Bad Request: CHAT_ADMIN_REQUIRED', 'not_allowed', /the right to/],
  [400, 'Bad Request: CHAT_RESTRICTED', 'not_allowed', /the right to/],
  [400, 'Bad Request: TOPIC_CLOSED', 'topic_closed', /open it/],
  [400, 'Bad Request: VOICE_MESSAGES_FORBIDDEN', 'voice_not_accepted', /without `voice`/],
  [400, 'Bad Request: user restricted receiving of voice note messages', 'voice_not_accepted', /as audio/],
  [400, 'Bad Request: something that came later', 'message_refused', /`network_code`/],
]

describe('everything that can be sent to a chat of Telegram, and that can come from there', {
  timeout: 120_000,
}, () => {
  let telegram: TelegramProcess
  let posthorn: Posthorn
  let web: Server
  let token: string
  let ana: number

  before(async () => {
    telegram = await startTelegram({ after: () => {} })
    await telegram.control.limit({ bot: null, chat: null, group: null })
    const environment = { POSTHORN_TELEGRAM_API: telegram.url, POSTHORN_FETCH_ALLOW_CIDRS: '127.0.0.1/32' }
    posthorn = await startPosthorn({ environment })
    token = (await telegram.control.createBot({ username: 'Shop_bot' })).token
    ana = await telegram.control.createPerson({ first_name: 'Ana' })
    const settings = { pacing: { messages: 1_000, seconds: 1 } }
    const body = { name: 'shop', network: 'telegram', settings, credentials: { token } }
    const created = await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
    assert.equal(created.body.status, 'connected', JSON.stringify(created.body.reason))
    await telegram.control.write({ token, chat: ana, text: 'Hello' })
    web = createServer((request, response) => {
      response.end(kinds.find(({ filename }) => request.url === `/${filename}`)?.bytes)
    }).listen(0, '127.0.0.1')
    await once(web, 'listening')
  })
  after(async () => {
    await posthorn?.stop()
    await telegram?.stop()
    web?.close()
  })

  const newPerson = async () => {
    const chat = await telegram.control.createPerson({ first_name: 'Ben' })
    await telegram.control.setStanding({ token, chat, standing: 'open' })
    return chat
  }
  const say = (to: number, words: string) =>
    text(posthorn.admin, { instance: 'shop', to: String(to), text: words }, 20)
  const send = async (body: FormData | { instance: string; to: string; kind: MediaKind; url: string }) =>
    (await posthorn.admin.call(sendMediaMessage, { body, waitSeconds: 20 })).body
  const form = (to: number, { kind, voice, filename, bytes }: Sent, caption: string) => {
    const body = new FormData()
    const fields = {
      instance: 'shop',
      to: String(to),
      kind,
      filename,
      caption,
      ...(voice && { voice: 'true' }),
    }
    for (const [name, value] of Object.entries(fields)) body.set(name, value)
    body.set('file', new Blob([new Uint8Array(bytes)]), 'upload.bin')
    return body
  }
  const received = (count: number) =>
    eventually(
      'what Ana sent',
      () => everythingReceived(posthorn.admin, 'shop'),
      (found) => found.length >= count,
    )

  for (const sent of kinds) {
    const { kind, voice, filename, bytes, shown } = sent
    test(`${voice ? 'voice' : kind}: uploaded, and from a URL`, async () => {
      const to = await newPerson()
      const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/${filename}`
      const more = { ...(voice && { voice }), caption: 'Look 😀' }
      const fromUrl = { instance: 'shop', to: String(to), kind, url, ...more }
      for (const message of [await send(form(to, sent, 'Look 😀')), await send(fromUrl)])
        assert.equal(message.status, 'sent', JSON.stringify(message.error))
      const seen = await telegram.control.received({ token, chat: to, count: 2 })
      const one = [shown, filename, 'Look 😀', createHash('sha256').update(bytes).digest('hex')]
      assert.deepEqual(
        seen.map((each) => [each.kind, each.filename, each.caption, each.sha256]),
        [one, one],
      )
    })
  }

  test('a caption with as many emojis as Telegram carries, and with one more', async () => {
    const [document] = kinds
    assert.ok(document)
    const to = await newPerson()
    assert.equal((await send(form(to, document, '😀'.repeat(512)))).status, 'sent')
    await assert.rejects(send(form(to, document, '😀'.repeat(513))), ({ problem }: ProblemError) => {
      const [{ pointer, detail } = assert.fail()] = problem.errors ?? []
      assert.equal(pointer, '/caption')
      assert.match(detail, /carries 1,024 in a caption/)
      return true
    })
  })

  for (const [code, description, expected, todo] of refusals) {
    test(`“${description}” (${code}) is ${expected}`, async () => {
      const to = await newPerson()
      await telegram.control.fault({ method: 'sendMessage', fault: { kind: 'refuse', code, description } })
      const { status, error } = await say(to, 'Good morning')
      assert.deepEqual([status, error?.code, error?.network_code], ['failed', expected, description])
      assert.match(error?.detail ?? '', todo)
      assert.equal((await say(to, 'And on')).status, 'sent')
    })
  }

  test('429 is waited for, and the message is sent once', async () => {
    const to = await newPerson()
    await telegram.control.fault({ method: 'sendMessage', fault: { kind: 'too-many', retryAfter: 1 } })
    const { status, attempts } = await say(to, 'In a moment')
    assert.deepEqual([status, attempts], ['sent', 2])
    assert.equal((await telegram.control.received({ token, chat: to })).length, 1)
  })

  for (const kind of ['error', 'gateway'] as const)
    test(`an answer that does not say what became of the message (${kind}) is unknown`, async () => {
      const to = await newPerson()
      await telegram.control.fault({ method: 'sendMessage', fault: { kind, taken: true } })
      assert.equal((await say(to, 'Perhaps')).status, 'unknown')
      assert.equal((await telegram.control.received({ token, chat: to })).length, 1)
    })

  test('a group that became a supergroup is followed, and the new address told', async () => {
    const chat = await telegram.control.createGroup({ type: 'group', title: 'Choir', bots: [token] })
    const moved = await telegram.control.migrate({ chat })
    const { status, notices } = await say(chat, 'Still there?')
    assert.deepEqual([status, notices.map(({ code }) => code)], ['sent', ['recipient_moved']])
    assert.equal((await telegram.control.received({ token, chat: moved })).at(-1)?.text, 'Still there?')
  })

  test('a group that became a supergroup is one conversation', async () => {
    const chat = await telegram.control.createGroup({ type: 'group', title: 'Choir', bots: [token] })
    await telegram.control.write({ chat, from: ana, text: 'Here' })
    const moved = await telegram.control.migrate({ chat })
    await telegram.control.write({ chat: moved, from: ana, text: 'And there' })
    const conversation = async (address: number) =>
      (await posthorn.admin.call(listMessages, { query: { conversation: String(address) } })).body.data.map(
        (message) => message.text,
      )
    for (const address of [chat, moved])
      await eventually(
        'both messages',
        () => conversation(address),
        (texts) => texts.join() === 'And there,Here',
      )
    const { data } = (await posthorn.admin.call(listConversations)).body
    assert.deepEqual(
      data
        .filter((one) => [String(chat), String(moved)].includes(one.conversation))
        .map(({ aliases }) => aliases),
      [[String(chat)]],
    )
  })

  test('what is no text and no file comes as unsupported, with its caption, and who joins does not', async () => {
    const before = (await received(1)).length
    const write = (more: object, caption?: string) =>
      telegram.control.write({ token, chat: ana, more, ...(caption !== undefined && { caption }) })
    await write({ dice: { emoji: '🎲', value: 4 } })
    await write({ new_chat_members: [{ id: ana, is_bot: false, first_name: 'Ana' }] })
    await write({ paid_media: { star_count: 5, paid_media: [] } }, 'For you')
    await write({ hologram: {} })
    await write({ successful_payment: { currency: 'EUR', total_amount: 1250, invoice_payload: '4711' } })
    const fresh = (await received(before + 4)).slice(before)
    assert.deepEqual(
      fresh.map(({ kind, caption, unsupported }) => [kind, caption, unsupported?.type, unsupported?.name]),
      [
        ['unsupported', '🎲 4', 'dice', 'dice'],
        ['unsupported', 'For you', 'paid_media', 'paid_media'],
        ['unsupported', undefined, 'unknown', 'hologram'],
        ['unsupported', undefined, 'successful_payment', 'successful_payment'],
      ],
    )
  })

  test('a file that could not be fetched before a restart is fetched after it', async () => {
    await telegram.control.fault({ method: 'download', times: 2, fault: { kind: 'gateway' } })
    const document = { base64: pdf.toString('base64'), filename: 'order.pdf', type: 'application/pdf' }
    await telegram.control.write({ token, chat: ana, document, caption: 'My order' })
    const order = async () =>
      (await everythingReceived(posthorn.admin, 'shop')).find(({ caption }) => caption === 'My order')
    await eventually('the message', order, (found) => found !== undefined)
    await telegram.control.calls({ method: 'download', count: 1 })
    posthorn = await posthorn.restart()
    const whole = await eventually('the file', order, (found) => found?.media?.sha256 != null)
    assert.equal(whole?.media?.sha256, createHash('sha256').update(pdf).digest('hex'))
  })

  test('another program that polls with the token takes the bot over, and the status says so', async () => {
    await telegram.control.polling({ token })
    const status = async () =>
      (await posthorn.admin.call(getInstanceStatus, { params: { name: 'shop' } })).body
    await new TestBot(telegram.url, token).updates()
    const { reason } = await eventually('the loss', status, (now) => now.status === 'reconnecting')
    assert.equal(reason?.code, 'replaced')
  })
})
