import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from '../../../src/contract/resources/message.ts'
import { asItReads, folded } from '../../../src/web/console/screens/conversations/folded.ts'

const message = (id: string, more: Partial<Message> = {}) =>
  ({ id, kind: 'text', text: id, status: 'delivered', from: null, relation: null, ...more }) as Message
const about = (type: 'correction' | 'reply' | 'reaction' | 'retraction', message_id: string) => ({
  relation: { type, message_id, network_message_id: null },
})
const fold = (...oldestFirst: Message[]) => folded(oldestFirst.toReversed())

test('the last reaction of each person counts, and stands at its message', () => {
  const [shown, ...others] = fold(
    message('a'),
    message('b', { ...about('reaction', 'a'), text: '👍 🎉', from: 'ana' }),
    message('c', { ...about('reaction', 'a'), text: '👍' }),
    message('d', { ...about('reaction', 'a'), text: '👍', from: 'ben' }),
    message('e', { ...about('reaction', 'a'), text: '', from: 'ana' }),
  )
  assert.deepEqual([...(shown?.reactions ?? [])], [['👍', ['', 'ben']]])
  assert.deepEqual(others, [])
})

test('a text reads as its newest edit says, also if that edits an edit; a file has it as its caption', () => {
  const edits = [
    message('b', { ...about('correction', 'a'), text: 'second' }),
    message('c', { ...about('correction', 'b'), text: 'third' }),
  ]
  const [shown] = fold(message('a'), ...edits)
  assert.equal(shown && asItReads(shown).text, 'third')
  const media = { filename: 'x', mime_type: null, size: null, sha256: null }
  const [file] = fold(message('a', { media, caption: 'first' }), ...edits)
  assert.equal(file && asItReads(file).caption, 'third')
})

test('what failed, and what is about a message that was not read, is shown by itself', () => {
  const shown = fold(
    message('a'),
    message('b', { ...about('reaction', 'a'), status: 'failed' }),
    message('c', about('retraction', 'z')),
    message('d', about('retraction', 'a')),
  )
  assert.deepEqual(
    shown.map((each) => [each.message.id, each.retraction?.id]),
    [
      ['a', 'd'],
      ['b', undefined],
      ['c', undefined],
    ],
  )
})

test('the last vote of each person counts, and a choice stays a message', () => {
  const poll = { question: '?', options: ['x', 'y'], multiple_answers: true }
  const vote = (id: string, from: string, options: string[]) =>
    message(id, { ...about('reply', 'a'), kind: 'poll_vote', from, poll_vote: { options } })
  const [shown, reply] = fold(
    message('a', { poll }),
    vote('b', 'ana', ['x']),
    vote('c', 'ben', ['x', 'y', 'y']),
    vote('d', 'ana', ['y']),
    message('e', { ...about('reply', 'a'), button_reply: { id: '1', title: 'Yes', payload: null } }),
  )
  assert.deepEqual(
    [...(shown?.votes ?? [])],
    [
      ['y', 2],
      ['x', 1],
    ],
  )
  assert.deepEqual([...(shown?.chosen ?? [])], ['1'])
  assert.equal(reply?.message.id, 'e')
})

test('messages that correct each other end somewhere, and long reactions are cut', () => {
  const flood = Array.from({ length: 1_000 }, (_, at) => `${at}${'x'.repeat(100)}`).join(' ')
  const shown = fold(
    message('a', about('correction', 'b')),
    message('b', about('correction', 'a')),
    message('c', { ...about('reaction', 'a'), text: flood, from: 'ana' }),
    message('d'),
    message('e', { ...about('reaction', 'd'), text: flood, from: 'ana' }),
  )
  const reactions = shown.find((each) => each.message.id === 'd')?.reactions
  assert.equal(reactions?.size, 20)
  assert.ok([...(reactions?.keys() ?? [])].every((emoji) => emoji.length <= 32))
})
