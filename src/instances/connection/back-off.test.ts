import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { backOff } from './back-off.ts'

const nearlyOne = 1 - Number.EPSILON

test('attempts follow in doubling distances, from a second to a minute', () => {
  const longest = [1, 2, 3, 6, 7, 8, 1_000_000].map((attempt) => backOff(attempt, nearlyOne))
  assert.deepEqual(longest, [1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000])
})

test('up to half of the distance is taken off at random, so that many instances do not come back in step', () => {
  const attempts = fc.integer({ min: 1, max: 10_000 })
  fc.assert(
    fc.property(attempts, fc.double({ min: 0, max: nearlyOne, noNaN: true }), (attempt, random) => {
      const full = backOff(attempt, nearlyOne)
      const delay = backOff(attempt, random)
      assert.ok(Number.isInteger(delay) && delay >= full / 2 && delay <= full)
    }),
  )
})

test('an account that somebody else uses is not taken back before half a minute', () => {
  assert.equal(backOff(1, 0, true), 30_000)
  assert.equal(backOff(20, nearlyOne, true), 60_000)
  assert.equal(backOff(1, 0, false), 500)
})
