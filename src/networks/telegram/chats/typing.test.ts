import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import type { ObservedConnection } from '../../../../test/kit/networks/observed-connection.ts'
import { type PlayedBot, TelegramPlays } from '../../../../test/kit/networks/telegram/plays.ts'

/* A bot shows that it writes: people see that for five seconds each time. */

let plays: TelegramPlays
let bot: PlayedBot
let session: ObservedConnection
let ana: number

before(async () => {
  plays = await TelegramPlays.start()
})
after(() => plays.stop())
beforeEach(async () => {
  bot = await plays.bot()
  session = await bot.open()
  ana = await bot.person()
})
afterEach(() => plays.end())

const show = (seconds: number, chat: number | string = ana) =>
  session.connection.showTyping?.(String(chat), seconds) ?? assert.fail()
const typings = (count = 0) => plays.control.typings({ token: bot.token, count })

test('it is shown at once, and again for as long as it should last', async () => {
  await show(9)
  const [first, second] = await typings(2)
  const apart = (second?.at ?? 0) - (first?.at ?? 0)
  assert.ok(apart >= 4_000 && apart < 5_000, `${apart} ms`)
  // The second one lasts to the end.
  const other = await bot.person()
  await show(1, other)
  assert.equal((await typings(3)).length, 3)
})

test('it ends with a message, and another one begins anew', async () => {
  await show(30)
  assert.equal(await bot.send(session, ana), 'accepted')
  await show(30)
  assert.equal((await typings()).length, 2)
  await session.close()
})

test('it is shown in the topic that is named', async () => {
  const group = await plays.control.createGroup({ type: 'supergroup', title: 'Shop', bots: [bot.token] })
  const topic = await plays.control.createTopic({ chat: group, name: 'Orders' })
  await session.connection.showTyping?.(String(group), 1, String(topic))
  assert.deepEqual(
    (await typings(1)).map(({ chat, thread }) => [chat, thread]),
    [[group, topic]],
  )
})

test('where it cannot be shown, it is not tried again, and no connection suffers', async () => {
  await show(30, 6_000_000_001)
  await bot.fault('sendChatAction', { kind: 'too-many', retryAfter: 7 })
  await show(30)
  await bot.fault('sendChatAction', { kind: 'cut' })
  await show(30)
  assert.equal(await bot.send(session, ana), 'accepted')
  assert.equal(await bot.calls('sendChatAction'), 3)
  await session.close()
  await show(30)
  assert.equal(await bot.calls('sendChatAction'), 3)
})

test('it is shown in a hundred chats at once, and in no more', async () => {
  const chats = await Promise.all(Array.from({ length: 101 }, () => bot.person()))
  await Promise.all(chats.map((chat) => show(30, chat)))
  assert.equal(await bot.calls('sendChatAction'), 100)
})
