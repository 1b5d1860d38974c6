import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { judgeAttempt } from './retry-schedule.ts'
import type { AttemptResult } from './webhook-client.ts'

const minute = 60_000
const hour = 60 * minute
/** The delay after each attempt, as Standard Webhooks has it, written down once more. */
const schedule = [
  5_000,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]

function answered(status: number, retryAfter: number | null = null): AttemptResult {
  return { kind: 'responded', status, retryAfter, body: '', duration: 1 }
}

const failed: AttemptResult = {
  kind: 'failed',
  code: 'timeout',
  detail: 'It took too long.',
  duration: 20_000,
}
const facts = { attempt: 1, now: 1_000_000, random: 0.5 }
const unsuccessful = [100, 199, 300, 301, 302, 307, 308, 400, 401, 404, 408, 409, 429, 500, 502, 503, 599]

describe('what follows from an attempt', () => {
  test('2xx alone is a delivery', () => {
    for (const status of [200, 201, 202, 204, 299])
      assert.deepEqual(judgeAttempt(answered(status), facts), { kind: 'delivered' })
    for (const status of unsuccessful)
      assert.equal(judgeAttempt(answered(status), facts).kind, 'again', `${status}`)
    assert.equal(judgeAttempt(failed, facts).kind, 'again')
  })

  test('410 says that nothing more is wanted, at whichever attempt', () => {
    for (const attempt of [1, 5, 10])
      assert.deepEqual(judgeAttempt(answered(410), { ...facts, attempt }), { kind: 'gone' })
  })

  test('ten attempts in 75 hours and 35 minutes, and then it is given up', () => {
    let now = 0
    for (let attempt = 1; attempt <= 9; attempt++) {
      const verdict = judgeAttempt(answered(500), { attempt, now, random: 0.5 })
      assert.ok(verdict.kind === 'again')
      assert.equal(verdict.at - now, schedule[attempt - 1])
      now = verdict.at
    }
    assert.equal(now, 75 * hour + 35 * minute + 5_000)
    assert.deepEqual(judgeAttempt(answered(500), { attempt: 10, now, random: 0.5 }), { kind: 'failed' })
    assert.deepEqual(judgeAttempt(failed, { attempt: 10, now, random: 0.5 }), { kind: 'failed' })
  })

  test('a receiver that asks to be left alone is, if that is later than the schedule', () => {
    const after = (status: number, seconds: number, attempt = 1) => {
      const verdict = judgeAttempt(answered(status, seconds), { ...facts, attempt })
      assert.ok(verdict.kind === 'again')
      return verdict.at - facts.now
    }
    for (const status of [429, 503]) {
      assert.equal(after(status, 60), 60_000)
      assert.equal(after(status, 1), 5_000)
      assert.equal(after(status, 24 * 3_600), 24 * hour)
      assert.equal(after(status, 60, 2), 5 * minute)
    }
    assert.equal(after(500, 60), 5_000)
    assert.equal(after(404, 60), 5_000)
  })
})

test('each wait is what the schedule says, give or take a fifth, in whole milliseconds', () => {
  const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  const results = fc.oneof(
    fc.constant(failed),
    fc.constantFrom(...unsuccessful).map((status) => answered(status)),
  )
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.nat(2e12),
      randoms,
      results,
      (attempt, now, random, result) => {
        const verdict = judgeAttempt(result, { attempt, now, random })
        assert.ok(verdict.kind === 'again')
        assert.ok(Number.isSafeInteger(verdict.at))
        const wanted = schedule[attempt - 1] ?? 0
        assert.ok(Math.abs(verdict.at - now - wanted) <= wanted * 0.2 + 0.5)
      },
    ),
  )
})

test('waits are spread over the whole of that', () => {
  const at = (random: number) => {
    const verdict = judgeAttempt(failed, { attempt: 3, now: 0, random })
    return verdict.kind === 'again' ? verdict.at : 0
  }
  assert.equal(at(0), 24 * minute)
  assert.ok(at(0.999999) > 35.99 * minute)
})

describe('a batch', () => {
  const said = (status: number) =>
    ({ kind: 'responded', status, retryAfter: null, body: '', duration: 1 }) as const
  const lost = (code: 'timeout' | 'unreachable') =>
    ({ kind: 'failed', code, detail: 'No.', duration: 1 }) as const
  const judged = (result: AttemptResult, attempt: number, events = 8) =>
    judgeAttempt(result, { attempt, events, now: 1_000, random: 0.5 })

  test('that is too large is split at once', () => {
    assert.deepEqual(judged(said(413), 1), { kind: 'split', at: 1_000 })
    assert.deepEqual(judged(said(413), 1, 1), { kind: 'again', at: 6_000 })
  })

  test('that is refused twice is split, unless the receiver is away or busy', () => {
    for (const result of [said(500), said(400), lost('timeout')]) {
      assert.equal(judged(result, 1).kind, 'again')
      assert.deepEqual(judged(result, 2), { kind: 'split', at: 2_000 })
      assert.equal(judged(result, 2, 1).kind, 'again')
    }
    for (const result of [said(429), said(502), said(503), said(504), lost('unreachable')])
      assert.equal(judged(result, 2).kind, 'again')
  })
})
