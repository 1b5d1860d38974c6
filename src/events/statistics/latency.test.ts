import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bucketOf, latencyOf, middleOf } from './latency.ts'

const longest = 49 * 86_400_000
const milliseconds = fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 1, max: longest }))

test('a bucket stands for a time that is at most 9.1 % from each in it', () => {
  fc.assert(
    fc.property(milliseconds, (time) => {
      const ratio = middleOf(bucketOf(time)) / time
      assert.ok(ratio < 1.091 && ratio > 1 / 1.091, `${time}: ${ratio}`)
    }),
  )
})

test('longer times have later buckets, and there is an end to them', () => {
  fc.assert(fc.property(milliseconds, (time) => assert.ok(bucketOf(time) <= bucketOf(time + 1))))
  assert.equal(bucketOf(-1), 0)
  assert.equal(bucketOf(0), 0)
  assert.equal(bucketOf(1), 1)
  assert.equal(bucketOf(2), 5)
  assert.equal(bucketOf(longest * 1_000), bucketOf(longest * 1_000_000))
})

test('quantiles are those of the times themselves, at most 10 % off', () => {
  const times = fc.array(fc.oneof(fc.constant(0), milliseconds), { minLength: 1, maxLength: 300 })
  fc.assert(
    fc.property(times, (all) => {
      const buckets: Record<string, number> = {}
      for (const time of all) buckets[bucketOf(time)] = (buckets[bucketOf(time)] ?? 0) + 1
      const { count, ...quantiles } = latencyOf(buckets)
      assert.equal(count, all.length)
      const sorted = all.toSorted((a, b) => a - b)
      for (const part of [50, 95, 99] as const) {
        const exact = (sorted[Math.ceil((part / 100) * count) - 1] ?? Number.NaN) / 1000
        const estimate = quantiles[`p${part}_seconds`] ?? Number.NaN
        assert.ok(Math.abs(estimate - exact) <= exact * 0.1, `p${part}: ${estimate}, not ${exact}`)
      }
    }),
  )
})

test('of nothing there is no quantile', () => {
  assert.deepEqual(latencyOf({}), { count: 0, p50_seconds: null, p95_seconds: null, p99_seconds: null })
})
