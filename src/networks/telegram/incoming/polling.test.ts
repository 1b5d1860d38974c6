import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import type { ObservedConnection } from '../../../../test/kit/networks/observed-connection.ts'
import { endOf, type PlayedBot, TelegramPlays } from '../../../../test/kit/networks/telegram/plays.ts'
import type { Fault } from '../../../../test/simulators/telegram/sending/faults.ts'

let plays: TelegramPlays
let bot: PlayedBot
let writer: number

before(async () => {
  plays = await TelegramPlays.start()
})
after(() => plays.stop())
beforeEach(async () => {
  bot = await plays.bot()
  writer = await bot.person()
})
afterEach(() => plays.end())

const write = (text: string) => plays.control.write({ token: bot.token, chat: writer, text })
const parked = () => plays.control.polling({ token: bot.token })
const pending = (most?: number) =>
  plays.control.pending(most === undefined ? { token: bot.token } : { token: bot.token, most })

/** Calls a method as another program with the token of the bot. */
async function elsewhere(method: string, given: object): Promise<void> {
  const response = await fetch(`${plays.url}/bot${bot.token}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(given),
  })
  assert.equal(response.status, 200, await response.text())
}

const messages = (session: ObservedConnection) =>
  session.observations.filter((seen) => seen.kind === 'message-received')
const texts = (session: ObservedConnection) => messages(session).map(({ text }) => text)

/** Waits until the connection has the message with this text, and everything before it. */
async function hears(session: ObservedConnection, text: string): Promise<void> {
  await session.sees('message-received', (seen) => seen.text === text)
}

async function endsWith(session: ObservedConnection, kind: string, code: string) {
  const ended = await endOf(session)
  assert.deepEqual([ended.kind, ended.reason.code], [kind, code])
  return ended
}

describe('a connection ends', () => {
  test('as replaced if another program fetches the updates', async () => {
    const session = await bot.open()
    await parked()
    await elsewhere('getUpdates', {})
    const ended = await endsWith(session, 'connection-lost', 'replaced')
    assert.ok(ended.kind === 'connection-lost' && ended.takenOver === true)
  })

  test('with its own reason if a webhook is set while it polls, or was before', async () => {
    const session = await bot.open()
    await parked()
    await elsewhere('setWebhook', { url: 'http://127.0.0.1:9/' })
    for (const each of [session, bot.connect()]) {
      const ended = await endsWith(each, 'connection-lost', 'webhook_set')
      assert.ok(ended.kind === 'connection-lost' && ended.takenOver === false)
    }
    await elsewhere('deleteWebhook', {})
  })

  test('if the token is revoked while a poll waits', async () => {
    const session = await bot.open()
    await parked()
    await plays.control.revokeToken({ token: bot.token })
    await endsWith(session, 'credentials-refused', 'token_refused')
    await endsWith(bot.connect(), 'credentials-refused', 'token_refused')
  })

  const faults: readonly (readonly [string, Fault, string])[] = [
    ['garbage', { kind: 'garbage' }, 'not_telegram'],
    ['a redirect', { kind: 'redirect', location: 'http://127.0.0.1:9/' }, 'not_telegram'],
    ['a cut', { kind: 'cut' }, 'connection_reset'],
    ['half an answer', { kind: 'half' }, 'connection_reset'],
    ['500', { kind: 'error' }, 'server_error'],
    ['502 of a proxy', { kind: 'gateway' }, 'server_error'],
    ['429', { kind: 'too-many', retryAfter: 3 }, 'rate_limited'],
  ]
  for (const [name, fault, code] of faults) {
    test(`as ${code} after ${name}, to a poll or to the first question`, async () => {
      await bot.fault('getUpdates', fault)
      await endsWith(bot.connect(), 'connection-lost', code)
      await bot.fault('getMe', fault)
      await endsWith(bot.connect(), 'connection-lost', code)
      const session = await bot.open()
      await write('still there')
      await hears(session, 'still there')
    })
  }

  test('after answers without end, though it asked for fewer and fewer updates', async () => {
    // 100, 50, 25, 12, 6, 3 and 1, and then the number of that one.
    await bot.fault('getUpdates', { kind: 'endless' }, 8)
    await endsWith(bot.connect(), 'connection-lost', 'update_too_large')
    assert.equal(await bot.calls('getUpdates'), 8)
    await bot.fault('getUpdates', { kind: 'endless' })
    const session = await bot.open()
    await write('still there')
    await hears(session, 'still there')
  })
})

test('many large messages arrive, fewer at a time', async () => {
  for (let index = 0; index < 60; index++)
    await plays.control.write({
      token: bot.token,
      chat: writer,
      text: `${index}`,
      more: { quote: { text: 'ä'.repeat(10_000) } },
    })
  const session = await bot.open()
  await hears(session, '59')
  const texts = session.observations.flatMap((seen) => (seen.kind === 'message-received' ? [seen.text] : []))
  assert.deepEqual(
    texts,
    Array.from({ length: 60 }, (_, index) => String(index)),
  )
  await plays.control.pending({ token: bot.token, most: 0 })
})

test('a message that is too large to be read is stepped over, and no other is', async () => {
  await write('before')
  await plays.control.write({
    token: bot.token,
    chat: writer,
    text: 'huge',
    more: { quote: { text: 'x'.repeat(2_000_000) } },
  })
  await write('after')
  const session = await bot.open()
  for (const text of ['before', 'after']) await hears(session, text)
  assert.ok(plays.logged('an update of Telegram is too large to read'))
  await plays.control.pending({ token: bot.token, most: 0 })
})

test('close ends a poll at once, and nothing is reported of it', async (t) => {
  const port = Number(new URL(plays.url).port)
  const ended: Promise<unknown>[] = []
  const line = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const side of [near, far]) side.on('error', () => {})
    near.pipe(far).pipe(near)
    ended.push(once(near, 'close'))
  })
  t.after(() => line.close())
  await once(line.listen(0, '127.0.0.1'), 'listening')
  const session = await bot.open({ baseUrl: `http://127.0.0.1:${(line.address() as AddressInfo).port}` })
  await parked()
  const before = session.observations.length
  await session.close()
  await Promise.all(ended)
  await write('later')
  await hears(await bot.open(), 'later')
  assert.equal(session.observations.length, before)
})

test('polls that are not held follow each other more and more slowly', async () => {
  const began = performance.now()
  await bot.fault('getUpdates', { kind: 'at-once' }, 100)
  const session = await bot.open()
  // The first one catches up; the others wait for one second, two and four.
  await plays.control.calls({ method: 'getUpdates', token: bot.token, count: 5 })
  assert.ok(performance.now() - began >= 6_900)
  await write('still there')
  await hears(session, 'still there')
})

test('that a group became a supergroup is stored before Telegram forgets it', async () => {
  const chat = await plays.control.createGroup({ type: 'group', title: 'Choir', bots: [bot.token] })
  const moved = await plays.control.migrate({ chat })
  const session = await bot.open()
  const told = await session.sees('contact-known')
  assert.deepEqual([told.addresses, told.formerly], [[String(moved)], String(chat)])
  await pending(0)
})

test('updates that come twice are reported under the same ids', async () => {
  const session = await bot.open()
  await write('one')
  await hears(session, 'one')
  await parked()
  await bot.fault('getUpdates', { kind: 'again' })
  await write('two')
  await hears(session, 'two')
  await write('three')
  await hears(session, 'three')
  const ids = new Map<string, Set<string | null>>()
  for (const { network_message_id: id, text } of messages(session))
    ids.set(id, (ids.get(id) ?? new Set()).add(text))
  assert.ok(messages(session).length > 3, 'an update came twice')
  assert.equal(ids.size, 3)
  for (const same of ids.values()) assert.equal(same.size, 1)
})

test('250 updates come in order, and none is forgotten at Telegram before it is stored', async () => {
  const written = Array.from({ length: 250 }, (_, number) => `message ${number}`)
  for (const text of written) await write(text)
  const total = await pending()
  const gate = Promise.withResolvers<void>()
  const session = await bot.open({
    isStored: async ({ kind }) => {
      if (kind === 'caught-up') await gate.promise
      return true
    },
  })
  await session.sees('caught-up', ({ through }) => through !== null)
  // The store has not finished the first page, so nothing more is asked for.
  assert.equal(texts(session).length, 100)
  assert.equal(await bot.calls('getUpdates'), 1)
  assert.equal(await pending(), total)
  gate.resolve()
  await session.sees('caught-up', ({ through }) => through === null)
  assert.deepEqual(texts(session), written)
  assert.equal(await pending(0), 0)
})

test('what could not be stored is fetched again by the next connection', async () => {
  await write('kept')
  const session = bot.connect({ isStored: async ({ kind }) => kind !== 'caught-up' })
  await endsWith(session, 'connection-lost', 'messages_not_kept')
  assert.equal(await pending(), 1)
  const next = await bot.open()
  await hears(next, 'kept')
  const ids = [session, next].map((each) => messages(each)[0]?.network_message_id)
  assert.equal(ids[0], ids[1])
})

describe('a mark', () => {
  /** The updates that a connection gets which begins at this mark. */
  async function after(mark: string): Promise<(string | null)[]> {
    const session = await bot.open({ caughtUp: async () => ({ mark, at: Date.now() }) })
    await session.sees('caught-up', ({ through }) => through === null)
    await session.close()
    return texts(session)
  }
  const today = Math.floor(Date.now() / 86_400_000)

  beforeEach(async () => {
    await plays.control.nextUpdateId({ token: bot.token, id: 500 })
    await write('first')
    await write('second')
  })

  test('of this bot tells Telegram what is stored', async () => {
    assert.deepEqual(await after(`${bot.id}:501:${today}`), ['second'])
  })

  for (const [name, mark] of [
    ['of another bot', `1234:501:${today}`],
    ['of more than six days ago', `ID:501:${today - 7}`],
    ['that is none', 'ID:501'],
  ] as const) {
    test(`${name} confirms nothing`, async () => {
      assert.deepEqual(await after(mark.replace('ID', String(bot.id))), ['first', 'second'])
    })
  }
})
