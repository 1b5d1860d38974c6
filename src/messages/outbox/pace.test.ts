import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Pace } from './pace.ts'

test('without a pace there is no limit', () => {
  const pace = new Pace(null)
  pace.take(1_000_000, 0)
  assert.ok(pace.available(0) > 1_000_000)
  assert.equal(pace.untilNext(0), 0)
})

test('what left counts until its time is over', () => {
  const pace = new Pace({ messages: 3, seconds: 10 })
  assert.equal(pace.available(0), 3)
  pace.take(2, 0)
  pace.take(1, 4_000)
  assert.equal(pace.available(4_000), 0)
  assert.equal(pace.untilNext(4_000), 6_000)
  assert.equal(pace.available(9_999), 0)
  assert.equal(pace.available(10_000), 2)
  assert.equal(pace.available(14_000), 3)
})

test('when it says that the next may leave, the next may leave, and not before', () => {
  const pace = new Pace({ messages: 1, seconds: 1 })
  pace.take(1, 0.25)
  const wait = pace.untilNext(0.5)
  assert.equal(pace.available(0.5), 0)
  assert.equal(pace.available(0.5 + wait), 1)
})

test('whichever window is looked at, no more left in it than allowed, and nobody waits without need', () => {
  const steps = fc.array(fc.record({ wait: fc.nat(700), want: fc.nat(6) }), { maxLength: 80, size: 'max' })
  const pacing = fc.record({
    messages: fc.integer({ min: 1, max: 5 }),
    seconds: fc.integer({ min: 1, max: 3 }),
  })
  fc.assert(
    fc.property(pacing, steps, ({ messages, seconds }, story) => {
      const pace = new Pace({ messages, seconds })
      const left: number[] = []
      let now = 0
      for (const { wait, want } of story) {
        now += wait
        const recent = left.filter((at) => at > now - seconds * 1000).length
        assert.equal(pace.available(now), messages - recent)
        const count = Math.min(want, pace.available(now))
        pace.take(count, now)
        for (let index = 0; index < count; index++) left.push(now)
      }
      for (const [index, at] of left.entries()) {
        const next = left[index + messages]
        assert.ok(next === undefined || next - at >= seconds * 1000)
      }
    }),
  )
})
