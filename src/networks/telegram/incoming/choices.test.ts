import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KnownPolls } from '../polls.ts'
import { messageIn } from './incoming-message.ts'

const now = 1_800_000_000_000
const ana = { id: 7_000_000_001, is_bot: false, first_name: 'Ana', username: 'ana' }
const chat = { id: 7_000_000_001, type: 'private', first_name: 'Ana' }
const group = { id: -1_002_000_000_001, type: 'supergroup', title: 'Choir' }
const sender = { address: '7000000001', name: 'Ana', username: 'ana' }

const read = (update: object, polls?: KnownPolls) => messageIn({ update_id: 4711, ...update }, now, polls)

const keyboard = { inline_keyboard: [[{ text: 'Yes', callback_data: 'y' }], [{ text: 'Page', url: 'x' }]] }
const asked = { message_id: 9, chat, date: 1, text: 'So?', reply_markup: keyboard }
const tap = (more: object) => read({ callback_query: { id: '55', from: ana, message: asked, ...more } })

test('a tap on a button names the message and the words on the button', () => {
  const found = tap({ data: 'y' })
  assert.equal(found?.network_message_id, 'tap:55')
  assert.deepEqual([found?.from, found?.conversation, found?.at], ['7000000001', '7000000001', now])
  assert.deepEqual(found?.content, { sender, button_reply: { id: 'y', title: 'Yes', payload: null } })
  assert.deepEqual(found?.relation, { type: 'reply', message: '7000000001:9' })
})

test('a tap with data that no button has, on a message that is gone, or in a game, is not lost', () => {
  assert.equal(tap({ data: 'forged' })?.content?.button_reply?.title, 'forged')
  const gone = tap({ data: 'y', message: { message_id: 9, chat, date: 0 } })
  assert.deepEqual(gone?.content?.button_reply, { id: 'y', title: 'y', payload: null })
  const inline = tap({ data: 'y', message: undefined, inline_message_id: 'x' })
  assert.deepEqual([inline?.conversation, inline?.relation], ['7000000001', undefined])
  assert.deepEqual(tap({ game_short_name: 'chess' })?.unsupported, { type: 'game', name: 'chess' })
})

test('a tap in a topic tells the topic', () => {
  const message = { ...asked, chat: group, message_thread_id: 3, is_topic_message: true }
  const found = tap({ data: 'y', message })
  assert.deepEqual(found?.content?.topic, { id: '3', name: null })
  assert.equal(found?.conversation, '-1002000000001')
})

test('a vote names the answers in words, in the conversation of the poll', () => {
  const vote = (option_ids: unknown, message = '-1002000000001:9') =>
    read(
      { poll_answer: { poll_id: '99', user: ana, option_ids } },
      new Map([['99', { message, options: ['Now', 'Later', 'Never'] }]]),
    )
  const found = vote([2, 0])
  assert.deepEqual(found?.content, { sender, poll_vote: { options: ['Now', 'Never'] } })
  assert.deepEqual(found?.relation, { type: 'reply', message: '-1002000000001:9' })
  assert.deepEqual([found?.from, found?.conversation], ['7000000001', '-1002000000001'])
  assert.deepEqual(vote([])?.content?.poll_vote, { options: [] })
  assert.deepEqual(vote([7, 'x', null])?.content?.poll_vote, { options: [] })
  // Ben forwarded a poll to Ana, who votes there.
  assert.equal(vote([1], '7000000002:9')?.conversation, '7000000001')
})

test('a vote in a poll that is not known is not taken for one that was taken back', () => {
  const found = read({ poll_answer: { poll_id: '99', user: ana, option_ids: [0] } })
  assert.deepEqual(found?.unsupported, { type: 'poll_answer', name: 'poll_answer' })
  assert.equal(found?.content?.poll_vote, undefined)
})

test('reactions are told as all that a person now gives', () => {
  const react = (new_reaction: unknown, more: object = { user: ana }) => {
    const about = { chat: group, message_id: 9, date: 1_700_000_000, old_reaction: [], new_reaction }
    return read({ message_reaction: { ...about, ...more } })
  }
  const emoji = (of: string) => ({ type: 'emoji', emoji: of })
  const found = react([emoji('👍'), emoji('❤')])
  assert.deepEqual([found?.text, found?.at], ['👍❤', 1_700_000_000_000])
  assert.deepEqual(found?.relation, { type: 'reaction', message: '-1002000000001:9' })
  assert.equal(found?.network_message_id, '-1002000000001:9:r4711')
  assert.equal(react([])?.text, '')
  assert.equal(react([{ type: 'paid' }])?.text, '⭐')
  const picture = react([{ type: 'custom_emoji', custom_emoji_id: '5' }])
  assert.deepEqual([picture?.text, picture?.unsupported?.type], [null, 'custom_emoji'])
  assert.equal(react([emoji('👍')], { actor_chat: group })?.from, '-1002000000001')
  assert.equal(react(Array(1_000).fill(emoji('👍')))?.text?.length, 32)
})

test('what is no tap, vote or reaction is left out', () => {
  for (const update of [
    { callback_query: {} },
    { callback_query: { id: ' ', from: ana, data: 'y' } },
    { poll_answer: { poll_id: '../x', user: ana } },
    { poll_answer: { poll_id: '1' } },
    { message_reaction: { chat: group, user: ana } },
    { message_reaction: 7 },
    { poll: { id: '1' } },
  ])
    assert.equal(read(update), null, JSON.stringify(update))
})
