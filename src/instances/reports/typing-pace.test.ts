import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import type { TypingSeen } from '../../networks/driver/account-news.ts'
import { TypingPace } from './typing-pace.ts'

function plays() {
  const time = new FakeTime()
  const shown: { at: number; seen: TypingSeen }[] = []
  const pace = new TypingPace(time, (seen) => shown.push({ at: time.clock.monotonic(), seen }))
  const see = (conversation: string, state: TypingSeen['state'] = 'typing') =>
    pace.take({ kind: 'typing-seen', conversation, from: conversation, state })
  return { time, shown, see }
}

test('the first is shown at once, and then the latest of each second', () => {
  const { time, shown, see } = plays()
  see('ana')
  see('ana')
  see('ana', 'paused')
  see('bob')
  assert.equal(shown.length, 2)
  time.pass(999)
  assert.equal(shown.length, 2)
  time.pass(1)
  assert.deepEqual(
    shown.slice(2).map(({ seen }) => [seen.conversation, seen.state]),
    [['ana', 'paused']],
  )
})

test('a flood shows one a second for each of a few conversations, and leaves nothing behind', () => {
  const { time, shown, see } = plays()
  for (let ms = 0; ms < 3_000; ms++) {
    for (let one = 0; one < 10; one++) see(`p${(ms * 10 + one) % 1_000}`)
    see('x'.repeat(1_025))
    time.pass(1)
  }
  assert.ok(shown.length <= 20 * 4, `${shown.length} were shown`)
  const byConversation = Map.groupBy(shown, ({ seen }) => seen.conversation)
  for (const all of byConversation.values())
    for (const [index, { at }] of all.entries())
      assert.ok(index === 0 || at - (all[index - 1]?.at ?? 0) >= 1_000)
  time.pass(2_000)
  assert.equal(time.waiting, 0)
})
