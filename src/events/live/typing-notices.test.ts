import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import type { TypingNotice } from './typing-notice.ts'
import { TypingNotices } from './typing-notices.ts'

const notice = (rest: Partial<TypingNotice> = {}): TypingNotice => ({
  organization: 'org_a',
  instance: { id: 'inst_a', name: 'trial' },
  conversation: 'ana',
  from: 'ana',
  state: 'typing',
  at: 1,
  ...rest,
})
const all = { organization: 'org_a', instances: null, seen: null }

/** Nodes that tell each other everything, at once. */
function nodesAt(time: FakeTime, count: number) {
  const told: string[] = []
  const nodes: TypingNotices[] = Array.from({ length: count }, () => {
    const tell = (topic: 'listening' | 'typing', word: string) => {
      told.push(topic)
      for (const other of nodes)
        if (other !== own) topic === 'typing' ? other.hear(word) : other.hearListening(word)
    }
    const own: TypingNotices = new TypingNotices({ ...time, tell })
    return own
  })
  return { nodes: nodes as [TypingNotices, TypingNotices], told }
}

test('what no caller listens for is passed on to none', () => {
  const { nodes, told } = nodesAt(new FakeTime(), 2)
  const [first, second] = nodes
  first.seen(notice())
  const listener = second.listen({ ...all, organization: 'org_b' })
  first.seen(notice())
  assert.deepEqual([listener.take(), told], [[], ['listening']])
  assert.deepEqual([first.isWanted('org_a'), first.isWanted('org_b')], [false, true])
})

test('a listener of another node gets it for as long as it listens', () => {
  const time = new FakeTime()
  const { nodes, told } = nodesAt(time, 2)
  const [first, second] = nodes
  const listener = second.listen(all)
  for (let minute = 0; minute < 3; minute++) {
    time.pass(60_000)
    first.seen(notice({ conversation: 'a person, with spaces' }))
    assert.deepEqual(
      listener.take().map(({ data }) => data.conversation),
      ['a person, with spaces'],
    )
  }
  first.seen(notice({ conversation: 'x'.repeat(1_500) }))
  assert.deepEqual(listener.take(), [], 'it was too long for a word')
  listener.end()
  time.pass(25_000)
  assert.equal(first.isWanted('org_a'), false)
  assert.equal(time.waiting, 0)
  const before = told.length
  first.seen(notice())
  assert.equal(told.length, before)
})

test('words that are none are dropped', () => {
  const { nodes } = nodesAt(new FakeTime(), 1)
  const listener = nodes[0].listen(all)
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const parts = ['org_a', 'inst_a', 'trial', 'ana', 'ana', 'typing', 1]
  for (const word of [
    ...['', 'x', '%%', encoded(null), encoded([]), encoded({}), 'x'.repeat(10_000)],
    encoded(parts.with(5, 'shouting')),
    encoded(parts.with(0, 7 as never)),
    encoded(parts.with(6, 'now')),
  ])
    nodes[0].hear(word)
  assert.deepEqual(listener.take(), [])
  nodes[0].hear(encoded(parts))
  assert.equal(listener.take().length, 1)
})

test('an organization that is flooded costs no other, and one of its listeners holds a bounded number', () => {
  const time = new FakeTime()
  const { nodes } = nodesAt(time, 1)
  const [node] = nodes
  const slow = node.listen(all)
  const other = node.listen({ ...all, organization: 'org_b' })
  for (let second = 0; second < 10; second++) {
    for (let at = 0; at < 10_000; at++) node.seen(notice({ conversation: `p${second} ${at}` }))
    node.seen(notice({ organization: 'org_b' }))
    assert.equal(other.take().length, 1)
    time.pass(1_000)
  }
  assert.equal(slow.take().length, 500)
})

test('a listener gets those of its instances alone, of each conversation the latest, and is woken', () => {
  const { nodes } = nodesAt(new FakeTime(), 1)
  const [node] = nodes
  const listener = node.listen({ ...all, instances: ['trial', 'hidden'], seen: ['trial'] })
  const never = new AbortController().signal
  const wakes = listener.wakesBefore(never)
  for (const name of ['hidden', 'other']) node.seen(notice({ instance: { id: 'inst_b', name } }))
  assert.equal(wakes.aborted, false)
  node.seen(notice())
  assert.equal(wakes.aborted, true)
  node.seen(notice({ state: 'paused' }))
  assert.equal(listener.wakesBefore(never).aborted, true)
  assert.deepEqual(
    listener.take().map(({ data }) => data.state),
    ['paused'],
  )
  assert.equal(listener.wakesBefore(never).aborted, false)
})
