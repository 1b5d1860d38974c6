import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { memoryKeys } from '../../../../test/kit/networks/memory-keys.ts'
import { newMessageId } from '../../../../test/kit/networks/new-message-id.ts'
import type { ObservedConnection } from '../../../../test/kit/networks/observed-connection.ts'
import {
  brief,
  type PlayedBot,
  storedBy,
  TelegramPlays,
} from '../../../../test/kit/networks/telegram/plays.ts'
import { KeyLimitReached, type KeyStore } from '../../driver/keys.ts'
import type { OutgoingContent } from '../../driver/message.ts'

/* Taps, which are answered, and votes, which name nothing but numbers. */

let plays: TelegramPlays
let bot: PlayedBot
let chat: number

before(async () => {
  plays = await TelegramPlays.start()
})
after(() => plays.stop())
beforeEach(async () => {
  bot = await plays.bot()
  chat = await bot.person()
})
afterEach(() => plays.end())

type Unaddressed = OutgoingContent extends infer One
  ? One extends unknown
    ? Omit<One, 'id' | 'to'>
    : never
  : never

const outcomeOf = (session: ObservedConnection, message: Unaddressed) =>
  session.connection.send({ id: newMessageId(), to: String(chat), ...message }, 1)

/** Sends a message, and returns its number. */
async function sent(session: ObservedConnection, message: Unaddressed): Promise<number> {
  const outcome = plays.hears(await outcomeOf(session, message))
  assert.ok(outcome.kind === 'accepted', brief(outcome))
  return Number(outcome.network_message_id?.split(':')[1])
}

const question = { body: 'Tomorrow?', buttons: [{ id: 'yes', title: 'Yes' }] }
const asking = { kind: 'interactive', interactive: question } as const
const days = { question: 'When?', options: ['Today', 'Never'], multiple_answers: false }
const polling = { kind: 'poll', poll: days } as const

const tap = (message_id: number) => plays.control.tap({ token: bot.token, chat, message_id, data: 'yes' })
const vote = (message_id: number, ...options: number[]) =>
  plays.control.vote({ token: bot.token, chat, message_id, options })

test('a tap is answered once it is stored, and not before', async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const isTap = (id: string) => id.startsWith('tap:')
  const isStored = async (seen: { kind: string; network_message_id?: string }) =>
    seen.kind === 'message-received' && isTap(seen.network_message_id ?? '') ? promise : true
  const session = await bot.open({ isStored })
  const id = await tap(await sent(session, asking))
  await session.sees('message-received')
  // Another answer shows that this one had its time.
  await bot.send(session, chat)
  assert.equal(await bot.calls('answerCallbackQuery'), 0)
  resolve(true)
  assert.equal(await plays.control.tapAnswers({ id, count: 1 }), 1)
})

test('a tap that is not stored is not answered, and comes again', async () => {
  const session = await bot.open({
    isStored: async ({ kind }) => kind !== 'message-received' && kind !== 'caught-up',
  })
  const number = await sent(session, asking)
  const id = await tap(number)
  await session.sees('connection-lost')
  assert.equal(await plays.control.tapAnswers({ id }), 0)
  const next = await bot.open()
  const { content } = await next.sees('message-received')
  assert.deepEqual(content?.button_reply, { id: 'yes', title: 'Yes', payload: null })
  assert.equal(await plays.control.tapAnswers({ id, count: 1 }), 1)
})

test('answers that fail hold up nothing', async () => {
  const session = await bot.open()
  const number = await sent(session, asking)
  await bot.fault('answerCallbackQuery', { kind: 'hang' }, 4)
  await bot.fault('answerCallbackQuery', { kind: 'too-many', retryAfter: 30 }, 1_000)
  for (let count = 0; count < 300; count++) await tap(number)
  await session.sees('message-received', () => {
    const taps = session.observations.filter(({ kind }) => kind === 'message-received')
    return taps.length === 300
  })
  assert.equal(await bot.send(session, chat), 'accepted')
  // Four are under way, and a hundred wait.
  assert.equal(await bot.calls('answerCallbackQuery'), 4)
})

test('a vote is understood after a restart, and names the answers in words', async () => {
  const keys = memoryKeys()
  const first = await bot.open({ keys })
  const number = await sent(first, polling)
  await first.close()
  const second = await bot.open({ keys, caughtUp: async () => storedBy(first) })
  await vote(number, 1)
  const { content, relation } = await second.sees('message-received')
  assert.deepEqual(content?.poll_vote, { options: ['Never'] })
  assert.deepEqual(relation, { type: 'reply', message: `${chat}:${number}` })
})

test('a vote that comes before the answer that tells the id of its poll waits for that', async () => {
  const session = await bot.open()
  await bot.fault('sendPoll', { kind: 'delay', milliseconds: 500 })
  const outcome = outcomeOf(session, polling)
  const [poll] = await plays.control.received({ token: bot.token, chat, count: 1 })
  await vote(poll?.message_id ?? 0, 0)
  const { content } = await session.sees('message-received')
  assert.deepEqual(content?.poll_vote, { options: ['Today'] })
  assert.equal(brief(await outcome), 'accepted')
})

test('a poll that cannot be kept is sent all the same, and votes in it say that they are not understood', async () => {
  const full: KeyStore = { ...memoryKeys(), set: () => Promise.reject(new KeyLimitReached(1)) }
  const session = await bot.open({ keys: full })
  await vote(await sent(session, polling), 0)
  const { unsupported } = await session.sees('message-received')
  assert.equal(unsupported?.type, 'poll_answer')
  assert.ok(plays.logged('votes in it will not be understood'))
})

test('while the polls cannot be read, a vote stays at Telegram', async () => {
  const keys = memoryKeys()
  let isDown = true
  const get: KeyStore['get'] = (type, ids) =>
    isDown ? Promise.reject(new Error('the store is unavailable')) : keys.get(type, ids)
  const session = await bot.open({ keys: { ...keys, get } })
  const number = await sent(session, polling)
  await vote(number, 0)
  const { reason } = await session.sees('connection-lost')
  assert.equal(reason.code, 'messages_not_kept')
  isDown = false
  const next = await bot.open({ keys: { ...keys, get }, caughtUp: async () => storedBy(session) })
  assert.deepEqual((await next.sees('message-received')).content?.poll_vote, { options: ['Today'] })
})
