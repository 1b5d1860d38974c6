import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conversations } from '../../../../test/kit/networks/telegram/conversation.ts'

/* A bot shows that it writes: people see that for five seconds each time. */

const at = conversations()

const show = (seconds: number, chat: number | string = at().chat) =>
  at().session.connection.showTyping?.(String(chat), seconds) ?? assert.fail()
const typings = (count = 0) => at().control.typings({ token: at().bot.token, count })

test('it is shown at once, and again for as long as it should last', async () => {
  await show(9)
  const [first, second] = await typings(2)
  const apart = (second?.at ?? 0) - (first?.at ?? 0)
  assert.ok(apart >= 4_000 && apart < 5_000, `${apart} ms`)
  // The second one lasts to the end.
  const other = await at().bot.person()
  await show(1, other)
  assert.equal((await typings(3)).length, 3)
})

test('it ends with a message, and another one begins anew', async () => {
  await show(30)
  assert.equal(await at().bot.send(at().session, at().chat), 'accepted')
  await show(30)
  assert.equal((await typings()).length, 2)
  await at().session.close()
})

test('it is shown in the topic that is named', async () => {
  const group = await at().control.createGroup({ type: 'supergroup', title: 'Shop', bots: [at().bot.token] })
  const topic = await at().control.createTopic({ chat: group, name: 'Orders' })
  await at().session.connection.showTyping?.(String(group), 1, String(topic))
  assert.deepEqual(
    (await typings(1)).map(({ chat, thread }) => [chat, thread]),
    [[group, topic]],
  )
})

test('where it cannot be shown, it is not tried again, and no connection suffers', async () => {
  await show(30, 6_000_000_001)
  await at().bot.fault('sendChatAction', { kind: 'too-many', retryAfter: 7 })
  await show(30)
  await at().bot.fault('sendChatAction', { kind: 'cut' })
  await show(30)
  assert.equal(await at().bot.send(at().session, at().chat), 'accepted')
  assert.equal(await at().bot.calls('sendChatAction'), 3)
  await at().session.close()
  await show(30)
  assert.equal(await at().bot.calls('sendChatAction'), 3)
})

test('it is shown in a hundred chats at once, and in no more', async () => {
  const chats = await Promise.all(Array.from({ length: 101 }, () => at().bot.person()))
  await Promise.all(chats.map((chat) => show(30, chat)))
  assert.equal(await at().bot.calls('sendChatAction'), 100)
})
