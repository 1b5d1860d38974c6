import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import type { ObservedConnection } from '../../../../test/kit/networks/observed-connection.ts'
import { endOf, type PlayedBot, TelegramPlays } from '../../../../test/kit/networks/telegram/plays.ts'
import type { Standing } from '../../../../test/simulators/telegram/chats.ts'
import type { Fault } from '../../../../test/simulators/telegram/sending/faults.ts'

let plays: TelegramPlays
let bot: PlayedBot
let session: ObservedConnection

before(async () => {
  plays = await TelegramPlays.start()
})
after(() => plays.stop())
beforeEach(async () => {
  bot = await plays.bot()
  session = await bot.open()
})
afterEach(() => plays.end())

describe('a recipient who cannot be written to', () => {
  const people: readonly (readonly [Standing, string])[] = [
    ['blocked', 'recipient_blocked'],
    ['deactivated', 'recipient_gone'],
    ['never-started', 'recipient_not_started'],
    ['unknown', 'recipient_unknown'],
  ]
  for (const [standing, code] of people) {
    test(`${standing} is ${code} for good`, async () => {
      const chat = await bot.person()
      await plays.control.setStanding({ token: bot.token, chat, standing })
      assert.equal(await bot.send(session, chat), `permanent ${code}`)
      assert.equal(await bot.calls('sendMessage'), 1)
    })
  }

  const groups: readonly (readonly [Standing, string])[] = [
    ['kicked', 'bot_removed'],
    ['not-member', 'bot_removed'],
    ['deleted', 'recipient_gone'],
    ['muted', 'not_allowed'],
  ]
  for (const [standing, code] of groups) {
    test(`a group where the bot is ${standing} is ${code} for good`, async () => {
      const chat = await plays.control.createGroup({ type: 'group', title: 'Choir', bots: [bot.token] })
      await plays.control.setStanding({ token: bot.token, chat, standing })
      assert.equal(await bot.send(session, chat), `permanent ${code}`)
      assert.equal(await bot.calls('sendMessage'), 1)
    })
  }

  test('a chat that does not exist is recipient_unknown, with the words of Telegram', async () => {
    const outcome = await bot.outcome(session, 6_000_000_001)
    assert.ok(outcome.kind === 'rejected')
    assert.equal(outcome.error.code, 'recipient_unknown')
    assert.match(outcome.error.network_code ?? '', /chat not found/)
  })
})

test('a message to a group that became a supergroup goes there, and a notice names the new address', async () => {
  const chat = await plays.control.createGroup({ type: 'group', title: 'Choir', bots: [bot.token] })
  const moved = await plays.control.migrate({ chat })
  const outcome = await bot.outcome(session, chat)
  assert.ok(outcome.kind === 'accepted')
  assert.match(outcome.network_message_id ?? '', new RegExp(`^${moved}:\\d+$`))
  const [notice, ...more] = outcome.notices ?? []
  assert.equal(more.length, 0)
  assert.equal(notice?.code, 'recipient_moved')
  assert.ok(notice?.detail.includes(String(moved)))
  assert.equal(await bot.taken(), 1)
  const told = await session.sees('contact-known')
  assert.deepEqual([told.addresses, told.formerly], [[String(moved)], String(chat)])
})

describe('a refusal for now', () => {
  const deferredFor = async (description: string, attempt: number) => {
    await bot.fault('sendMessage', { kind: 'too-many', retryAfter: null, description })
    const message = { id: 'a'.repeat(26), to: String(await bot.person()), kind: 'text', text: 'Hi' } as const
    const outcome = await session.connection.send(message, attempt)
    assert.ok(outcome.kind === 'deferred')
    return Math.round((outcome.until - Date.now()) / 1000)
  }

  test('that names its time only in its words is believed', async () => {
    assert.equal(await deferredFor('Too Many Requests: retry after 42', 1), 42)
  })

  test('that names no time defers longer with each attempt, for minutes at most', async () => {
    const waits: number[] = []
    for (const attempt of [1, 2, 3, 9]) waits.push(await deferredFor('Too Many Requests', attempt))
    assert.deepEqual(waits, [5, 10, 20, 300])
  })

  test('defers the messages to one chat, and those of the bot if several chats are refused', async () => {
    const [ada, ben] = [await bot.person(), await bot.person()]
    await bot.fault('sendMessage', { kind: 'too-many', retryAfter: 7 }, 3)
    const before = Date.now()
    const outcome = await bot.outcome(session, ada)
    assert.ok(outcome.kind === 'deferred')
    assert.equal(outcome.scope, 'recipient')
    assert.ok(outcome.until >= before + 7000 && outcome.until <= Date.now() + 7000)
    assert.equal(await bot.send(session, ada), 'deferred recipient')
    assert.equal(await bot.send(session, ben), 'deferred instance')
    assert.equal(await bot.taken(), 0)
    assert.equal(await bot.send(session, ben), 'accepted')
  })

  test('lasts a day at most', async () => {
    await bot.fault('sendMessage', { kind: 'too-many', retryAfter: 1e12 })
    const outcome = await bot.outcome(session, await bot.person())
    assert.ok(outcome.kind === 'deferred')
    assert.ok(outcome.until <= Date.now() + 86_400_000)
  })
})

test('what is under way when another message shows that the token was revoked still has its answer', async () => {
  const [chat, other] = [await bot.person(), await bot.person()]
  await bot.fault('sendMessage', { kind: 'delay', milliseconds: 1_000 })
  const slow = bot.send(session, chat)
  while ((await bot.calls('sendMessage')) === 0);
  await bot.fault('sendMessage', { kind: 'revoke' })
  assert.equal(await bot.send(session, other), 'temporary token_refused')
  await endOf(session)
  await session.connection.close()
  assert.equal(await slow, 'accepted')
})

test('a token that is revoked while a message is sent ends the connection, and the message can be sent later', async () => {
  const chat = await bot.person()
  await bot.fault('sendMessage', { kind: 'revoke' })
  assert.equal(await bot.send(session, chat), 'temporary token_refused')
  const { kind, reason } = await endOf(session)
  assert.deepEqual([kind, reason.code], ['credentials-refused', 'token_refused'])
  assert.equal(await bot.send(session, chat), 'temporary not_connected')
})

describe('an answer that does not say what became of the message', () => {
  const faults: readonly (readonly [string, Fault, number])[] = [
    ['a connection cut after the message was taken', { kind: 'cut' }, 1],
    ['a connection cut before', { kind: 'cut', taken: false }, 0],
    ['an answer cut in half', { kind: 'half' }, 1],
    ['garbage', { kind: 'garbage' }, 1],
    ['a body without end', { kind: 'endless' }, 1],
    ['500 after the message was taken', { kind: 'error', taken: true }, 1],
    ['500 before', { kind: 'error' }, 0],
    ['502 of a proxy', { kind: 'gateway', taken: true }, 1],
  ]
  for (const [name, fault, taken] of faults) {
    test(`${name} is uncertain, and nothing is sent again`, async () => {
      const chat = await bot.person()
      await bot.fault('sendMessage', fault)
      assert.equal(await bot.send(session, chat), 'uncertain')
      // The next message shows that nothing else came before it.
      assert.equal(await bot.send(session, chat, 'next'), 'accepted')
      assert.equal(await bot.calls('sendMessage'), 2)
      assert.equal(await bot.taken(), taken + 1)
    })
  }

  test('an answer that never comes is uncertain once the connection closes', async () => {
    const chat = await bot.person()
    await bot.fault('sendMessage', { kind: 'hang', taken: true })
    const outcome = bot.send(session, chat)
    await plays.control.taken({ token: bot.token, count: 1 })
    await session.close()
    assert.equal(await outcome, 'uncertain')
    assert.equal(await bot.calls('sendMessage'), 1)
  })
})

test('a redirect is not followed', async () => {
  const chat = await bot.person()
  const location = `${plays.url}/bot${bot.token}/sendMessage?chat_id=${chat}&text=hello`
  await bot.fault('sendMessage', { kind: 'redirect', location })
  assert.equal(await bot.send(session, chat), 'temporary answer_unusable')
  assert.equal(await bot.calls('sendMessage'), 1)
  assert.equal(await bot.taken(), 0)
})

test('a message for which no connection can be opened can be sent later', async (t) => {
  const port = Number(new URL(plays.url).port)
  const line = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const side of [near, far]) side.on('error', () => {})
    near.pipe(far).pipe(near)
    t.after(() => near.destroy())
  })
  await once(line.listen(0, '127.0.0.1'), 'listening')
  const other = await plays.bot()
  const { port: near } = line.address() as AddressInfo
  const held = await other.open({ baseUrl: `http://127.0.0.1:${near}` })
  await plays.control.polling({ token: other.token })
  // The poll holds the only connection, which stays.
  line.close()
  assert.equal(await other.send(held, await other.person()), 'temporary network_unreachable')
  assert.equal(await other.calls('sendMessage'), 0)
})
