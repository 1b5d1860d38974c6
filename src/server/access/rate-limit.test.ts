import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Problem } from '../../contract/problem.ts'
import { RateLimit } from './rate-limit.ts'

function limited(count: number, seconds: number) {
  const time = { now: 1_000_000 }
  const clock = { now: () => time.now, monotonic: () => time.now }
  const limit = new RateLimit({ count, seconds }, clock)
  return {
    limit,
    pass: (ms: number) => {
      time.now += ms
    },
    take: (key = 'key_a') => limit.take(key),
    /** The seconds after which to come again, or 0 if the token was given. */
    refusedFor: (key = 'key_a') => {
      try {
        limit.take(key)
        return 0
      } catch (error) {
        assert.ok(error instanceof Problem && error.code === 'rate_limited')
        return Number(error.headers['retry-after'])
      }
    },
  }
}

describe('the rate limit', () => {
  test('gives a full burst at once, and tells how much is left', () => {
    const { take, refusedFor } = limited(3, 6)
    assert.deepEqual(take(), { 'ratelimit-policy': '"default";q=3;w=6', ratelimit: '"default";r=2;t=2' })
    assert.equal(take().ratelimit, '"default";r=1;t=4')
    assert.equal(take().ratelimit, '"default";r=0;t=6')
    assert.equal(refusedFor(), 2)
  })

  test('counts what was taken elsewhere, and tells what was taken here, once', () => {
    const { limit, take, refusedFor } = limited(5, 10)
    assert.deepEqual([...limit.takenSince()], [])
    take()
    take()
    limit.takenElsewhere('key_a', 2)
    assert.equal(take().ratelimit, '"default";r=0;t=10')
    assert.equal(refusedFor(), 2)
    assert.deepEqual([...limit.takenSince()], [['key_a', 3]])
    assert.deepEqual([...limit.takenSince()], [])
  })

  test('refills evenly, and never beyond the burst', () => {
    const { take, pass, refusedFor } = limited(3, 6)
    for (let count = 0; count < 3; count++) take()
    pass(1_999)
    assert.equal(refusedFor(), 1)
    pass(1)
    assert.equal(refusedFor(), 0)
    assert.equal(refusedFor(), 2)
    pass(3_600_000)
    assert.equal(take().ratelimit, '"default";r=2;t=2')
  })

  test('keeps the keys apart', () => {
    const { take, refusedFor } = limited(1, 60)
    take('key_a')
    assert.equal(refusedFor('key_b'), 0)
    assert.equal(refusedFor('key_a'), 60)
  })

  test('tells whether there is a token without taking it', () => {
    const { limit, take, pass } = limited(1, 60)
    assert.equal(limit.isSpent('key_a'), false)
    assert.equal(limit.isSpent('key_a'), false)
    take()
    assert.equal(limit.isSpent('key_a'), true)
    pass(60_000)
    assert.equal(limit.isSpent('key_a'), false)
  })

  test('remembers a hundred thousand, and forgets first who did not come for longest', () => {
    const { take, refusedFor } = limited(1, 1_000_000)
    take('early')
    take('busy')
    for (let count = 0; count < 99_999; count++) {
      take(`other_${count}`)
      if (count % 50_000 === 0) assert.ok(refusedFor('busy') > 0)
    }
    assert.ok(refusedFor('busy') > 0)
    assert.equal(refusedFor('early'), 0)
  })

  test('lets through no more than burst and refill, and whoever waits as told is let through', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 200 })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 60 }),
        steps,
        (count, seconds, waits) => {
          const { pass, refusedFor } = limited(count, seconds)
          let given = 0
          let elapsed = 0
          for (const wait of waits) {
            pass(wait)
            elapsed += wait
            const refused = refusedFor()
            if (refused === 0) given++
          }
          assert.ok(given <= count + (elapsed / 1000) * (count / seconds) + 1e-6)
          const refused = refusedFor()
          pass(refused * 1000)
          if (refused > 0) assert.equal(refusedFor(), 0)
        },
      ),
    )
  })
})
