import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import type { WebhookInfo } from '@grammyjs/types'
import {
  countsAsStoredWithItsMessage,
  type ObservedConnection,
} from '../../../../test/kit/networks/observed-connection.ts'
import { TelegramCallbacks } from '../../../../test/kit/networks/telegram/callbacks.ts'
import {
  endOf,
  type PlayedBot,
  storedBy,
  TelegramPlays,
} from '../../../../test/kit/networks/telegram/plays.ts'
import { TestBot } from '../../../../test/simulators/telegram/test-bot.ts'
import type { MessageReceived } from '../../driver/observation.ts'
import { secretFor } from '../callbacks.ts'

const elsewhere = 'https://another.example/hook'

describe('a bot that Telegram calls back', { timeout: 60_000 }, () => {
  let plays: TelegramPlays
  let callbacks: TelegramCallbacks
  let bot: PlayedBot
  let other: TestBot
  let url: string

  before(async () => {
    plays = await TelegramPlays.start()
    await plays.control.retrySecond({ milliseconds: 5 })
  })
  beforeEach(async () => {
    callbacks = await TelegramCallbacks.start()
    bot = await plays.bot()
    other = new TestBot(plays.url, bot.token)
    url = callbacks.urlFor(bot.token)
  })
  afterEach(async () => {
    await plays.end()
    callbacks.stop()
  })
  after(() => plays.stop())

  /** Opens a connection that gets what is called back. */
  const open = async (callbackUrl = url): Promise<ObservedConnection> => {
    const session = await bot.open({ callbackUrl })
    callbacks.open(bot.token, session.connection)
    return session
  }
  const write = (chat: number, text: string) => plays.control.write({ token: bot.token, chat, text })
  const info = () => other.result<WebhookInfo>('getWebhookInfo')
  const present = () => plays.control.webhook({ token: bot.token })
  const removed = (session: ObservedConnection) => session.connection.remove?.()

  test('a callback counts as stored when its message is', async () => {
    const from = { id: 5, is_bot: false, first_name: 'Ana' }
    const message = { message_id: 1, date: 1, chat: { id: 5, type: 'private' }, from, text: 'Hello' }
    await countsAsStoredWithItsMessage((options) => bot.open({ callbackUrl: url, ...options }), {
      update_id: 1,
      message,
    })
  })

  test('says which updates it wants, how many at once, and to what secret it listens', async () => {
    const session = await open()
    const chat = await bot.person()
    await write(chat, 'Hello')
    const { text, conversation } = await session.sees('message-received')
    assert.deepEqual([text, conversation], ['Hello', String(chat)])
    const { max_connections, allowed_updates } = await info()
    const written = ['message', 'edited_message', 'channel_post', 'edited_channel_post']
    const done = ['callback_query', 'poll_answer', 'message_reaction']
    const groups = ['my_chat_member', 'chat_member', 'chat_join_request']
    assert.deepEqual([max_connections, allowed_updates], [16, [...written, ...done, ...groups]])
    assert.equal(await bot.calls('getUpdates'), 0)
    await open()
    assert.equal(await bot.calls('setWebhook'), 1, 'what is set is not set again')
  })

  test('leaves the webhook of another program alone, and says that it was replaced', async () => {
    await other.result('setWebhook', { url: elsewhere })
    const refused = bot.connect({ callbackUrl: url })
    const end = await endOf(refused)
    assert.deepEqual([end.kind, end.reason.code], ['connection-lost', 'replaced'])
    assert.equal(await present(), elsewhere)
    await other.result('deleteWebhook')
    for (const theirs of [elsewhere, '']) {
      const session = await open()
      await other.result('setWebhook', { url: theirs })
      session.connection.probe()
      const lost = await endOf(session)
      assert.equal(lost.reason.code, 'replaced')
      assert.ok(lost.kind === 'connection-lost' && lost.takenOver)
      await other.result('deleteWebhook')
    }
  })

  test('warns while Telegram cannot deliver, tells why, and sends nevertheless', async () => {
    const session = await open()
    callbacks.status = 502
    const chat = await bot.person()
    await write(chat, 'Nobody hears this yet')
    await plays.control.undelivered({ token: bot.token })
    session.connection.probe()
    const { restriction } = await session.sees('restriction')
    assert.deepEqual([restriction?.code, restriction?.scope], ['callbacks_failing', 'none'])
    assert.match(
      restriction?.detail ?? '',
      /Telegram says: `Wrong response from the webhook: 502 Bad Gateway`\.$/,
    )
    assert.equal(await bot.send(session, chat), 'accepted')
    await session.close()

    const next = await bot.open({ callbackUrl: url, restriction })
    next.connection.probe()
    await next.sees('connection-verified')
    assert.ok(!next.kinds().includes('restriction'), 'nothing has changed')
    callbacks.open(bot.token, next.connection)
    callbacks.status = 200
    assert.equal((await next.sees('message-received')).text, 'Nobody hears this yet')
    await next.sees('restriction', (seen) => seen.restriction === null)
    const last = await bot.open({ callbackUrl: url, restriction })
    await last.sees('restriction', (seen) => seen.restriction === null)
  })

  test('is connected if the last delivery failed and a later one did not', async () => {
    const session = await open()
    callbacks.status = 502
    const chat = await bot.person()
    await write(chat, 'one')
    await plays.control.undelivered({ token: bot.token })
    callbacks.status = 200
    await session.sees('message-received')
    session.connection.probe()
    await session.sees('connection-verified')
  })

  test('sets the webhook again if Telegram has another secret', async () => {
    await other.result('setWebhook', {
      url,
      secret_token: 'another',
      max_connections: 16,
      allowed_updates: ['message', 'edited_message', 'channel_post', 'edited_channel_post'],
    })
    await write(await bot.person(), 'refused at first')
    await plays.control.undelivered({ token: bot.token })
    const session = await open()
    assert.equal((await session.sees('message-received')).text, 'refused at first')
  })

  test('tells what Telegram has against the URL, without the URL', async () => {
    const path = '/v1/callbacks/telegram/cb_secret'
    const { kind, reason } = await endOf(bot.connect({ callbackUrl: `http://shop.example${path}` }))
    assert.deepEqual([kind, reason.code], ['connection-lost', 'callback_url_refused'])
    assert.match(reason.detail, /Telegram says: `Bad Request: bad webhook: An HTTPS URL must be provided/)
    assert.ok(!reason.detail.includes('cb_secret'))
    const without = await endOf(bot.connect({ updates: 'callback' }))
    assert.deepEqual([without.kind, without.reason.code], ['connection-refused', 'callback_url_missing'])
  })

  test('shows none of its secrets, however the Bot API repeats them', async () => {
    const [, half = ''] = bot.token.split(':')
    const path = url.slice(url.lastIndexOf('/') + 1)
    const secrets = [secretFor(bot.token), path, half]
    const each = (secret: string) => `%${secret.charCodeAt(0).toString(16)}${secret.slice(1)}`
    const repeated = [encodeURIComponent(bot.token), ...secrets, ...secrets.map(each)].join(' ')
    const description = `Bad Request: not ${repeated}`
    const fault = { kind: 'refuse', code: 400, description } as const
    await bot.fault('setWebhook', fault)
    const { reason } = await endOf(bot.connect({ callbackUrl: url }))
    const session = await open()
    await bot.fault('sendMessage', fault)
    const outcome = await bot.outcome(session, await bot.person())
    const shown = JSON.stringify([reason, outcome])
    assert.match(shown, /Telegram says: `Bad Request: not … … … … … … …`/)
    assert.match(shown, /"network_code":"Bad Request: not … … … … … … …"/)
    for (const secret of secrets) assert.ok(!shown.includes(secret.slice(1)))
  })

  test('follows when the server moves', async () => {
    const path = new URL(url).pathname
    await other.result('setWebhook', { url: `https://old.example/v1/callbacks/telegram${path}` })
    await open()
    assert.equal(await present(), url)
  })

  test('loses nothing and gets nothing twice when it goes from polling to callbacks and back', async () => {
    const chat = await bot.person()
    const sessions: ObservedConnection[] = []
    const stored = async () => sessions.map(storedBy).findLast((mark) => mark !== null) ?? null
    for (const updates of ['polling', 'callback', 'polling', 'callback', 'polling'] as const) {
      await write(chat, `before ${updates} ${sessions.length}`)
      const session = await bot.open({ callbackUrl: url, updates, caughtUp: stored })
      sessions.push(session)
      callbacks.open(bot.token, session.connection)
      const last = `during ${updates} ${sessions.length}`
      await write(chat, last)
      await session.sees('message-received', ({ text }) => text === last)
      await session.close()
    }
    const seen = sessions.flatMap(({ observations }) =>
      observations.filter((one): one is MessageReceived => one.kind === 'message-received'),
    )
    const texts = new Map(seen.map(({ network_message_id, text }) => [network_message_id, text]))
    assert.equal(texts.size, 10)
    assert.equal(new Set(texts.values()).size, 10)
  })

  test('deletes its webhook when the instance is removed, but none of another program', async () => {
    const chat = await bot.person()
    const session = await open()
    callbacks.status = 503
    await write(chat, 'waits')
    assert.equal(await removed(session), true)
    assert.equal(await present(), '')
    assert.equal(await plays.control.pending({ token: bot.token }), 1)
    assert.equal(await removed(bot.connect({ callbackUrl: url })), true)
    assert.equal(await present(), '')
    await other.result('setWebhook', { url: elsewhere })
    assert.equal(await removed(bot.connect({ callbackUrl: url })), true)
    assert.equal(await present(), elsewhere)
  })

  test('has nothing to delete once its token is revoked, and asks again if Telegram is away', async () => {
    const session = await open()
    await bot.fault('getWebhookInfo', { kind: 'gateway' })
    assert.equal(await removed(session), false)
    await plays.control.revokeToken({ token: bot.token })
    assert.equal(await removed(session), true)
  })
})
