import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SlidingWindowLimit } from './sliding-window-limit.ts'

test('without a rate there is no limit', () => {
  const limit = new SlidingWindowLimit(null)
  limit.take(1_000_000, 0)
  assert.ok(limit.available(0) > 1_000_000)
  assert.equal(limit.untilNext(0), 0)
})

test('what was taken counts until it is too old', () => {
  const limit = new SlidingWindowLimit({ count: 3, seconds: 10 })
  assert.equal(limit.available(0), 3)
  limit.take(2, 0)
  limit.take(1, 4_000)
  assert.equal(limit.available(4_000), 0)
  assert.equal(limit.untilNext(4_000), 6_000)
  assert.equal(limit.available(9_999), 0)
  assert.equal(limit.available(10_000), 2)
  assert.equal(limit.available(14_000), 3)
})

test('when it says that the next may leave, the next may leave, and not before', () => {
  const limit = new SlidingWindowLimit({ count: 1, seconds: 1 })
  limit.take(1, 0.25)
  const wait = limit.untilNext(0.5)
  assert.equal(limit.available(0.5), 0)
  assert.equal(limit.available(0.5 + wait), 1)
})

test('no window has more than allowed, and nothing waits without need', () => {
  const steps = fc.array(fc.record({ wait: fc.nat(700), want: fc.nat(6) }), { maxLength: 80, size: 'max' })
  const rate = fc.record({
    count: fc.integer({ min: 1, max: 5 }),
    seconds: fc.integer({ min: 1, max: 3 }),
  })
  fc.assert(
    fc.property(rate, steps, ({ count: most, seconds }, story) => {
      const limit = new SlidingWindowLimit({ count: most, seconds })
      const left: number[] = []
      let now = 0
      for (const { wait, want } of story) {
        now += wait
        const recent = left.filter((at) => at > now - seconds * 1000).length
        assert.equal(limit.available(now), most - recent)
        const count = Math.min(want, limit.available(now))
        limit.take(count, now)
        for (let index = 0; index < count; index++) left.push(now)
      }
      for (const [index, at] of left.entries()) {
        const next = left[index + most]
        assert.ok(next === undefined || next - at >= seconds * 1000)
      }
    }),
  )
})
