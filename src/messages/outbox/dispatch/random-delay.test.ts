import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RandomDelay } from './random-delay.ts'

const hour = 3_600_000
const warm_up = [
  { until_hours: 24, factor: 4 },
  { until_hours: 168, factor: 2 },
]
const pausing = { min_seconds: 1, max_seconds: 3, warm_up }
const notLinked = () => null

test('after each message nothing leaves for a pause of a random length, and the first message waits as well', () => {
  const drawn = [0, 0.5, 0.999]
  const random = () => drawn.shift() ?? 0
  const delay = new RandomDelay(pausing, { random, linkAge: notLinked }, 500)
  assert.equal(delay.available(1_499), 0)
  assert.equal(delay.untilNext(1_499), 1)
  assert.equal(delay.available(1_500), 1)
  delay.take(1, 1_500)
  assert.equal(delay.available(3_499), 0)
  assert.equal(delay.available(3_500), 1)
  delay.take(1, 10_000)
  assert.equal(delay.untilNext(10_000), 2_998)
})

test('a claim that begins nothing costs no pause', () => {
  const delay = new RandomDelay(pausing, { random: () => 0, linkAge: notLinked }, 0)
  delay.take(0, 1_000)
  assert.equal(delay.available(1_000), 1)
})

test('while the account was linked only recently, delay are longer', () => {
  for (const [age, pause] of [
    [null, 2_000],
    [0, 8_000],
    [24 * hour - 1, 8_000],
    [24 * hour, 4_000],
    [168 * hour - 1, 4_000],
    [168 * hour, 2_000],
  ] as const) {
    const delay = new RandomDelay(pausing, { random: () => 0.5, linkAge: () => age }, 0)
    assert.equal(delay.untilNext(0), pause, `${age}`)
  }
})

test('no two messages are closer than the shortest pause, and none waits longer than the longest without need', () => {
  const pause = fc
    .tuple(fc.integer({ min: 0, max: 4_000 }), fc.integer({ min: 0, max: 4_000 }))
    .map(([one, other]) => [Math.min(one, other) / 1000, Math.max(one, other) / 1000] as const)
  const chance = fc.double({ min: 0, max: 0.999_999, noNaN: true })
  const age = fc.option(fc.integer({ min: 0, max: 200 * hour }))
  const steps = fc.array(fc.record({ wait: fc.nat(6_000), chance, age }), { maxLength: 60, size: 'max' })
  fc.assert(
    fc.property(pause, steps, ([min_seconds, max_seconds], story) => {
      let chance = 0
      let age: number | null = null
      const factor = () => (age === null || age >= 168 * hour ? 1 : age < 24 * hour ? 4 : 2)
      const context = { random: () => chance, linkAge: () => age }
      const delay = new RandomDelay({ min_seconds, max_seconds, warm_up }, context, 0)
      let now = 0
      let left = { at: 0, factor: 1 }
      for (const step of story) {
        now += step.wait
        const since = now - left.at
        const isFree = delay.available(now) > 0
        if (since < min_seconds * 1000 * left.factor) assert.ok(!isFree)
        if (since >= max_seconds * 1000 * left.factor) assert.ok(isFree)
        if (!isFree) {
          now += delay.untilNext(now)
          assert.ok(now - left.at <= max_seconds * 1000 * left.factor + 1)
        }
        assert.equal(delay.available(now), 1, 'when it says that the next may leave, it may')
        ;({ chance, age } = step)
        delay.take(1, now)
        left = { at: now, factor: factor() }
      }
    }),
  )
})
