import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  accepted,
  type NetworkError,
  type Outcome,
  rejected,
  uncertain,
  unproven,
} from '../../../networks/driver/outcome.ts'
import { type AttemptFacts, judge, retryDelay } from './verdict.ts'

const now = 1_000_000
const facts: AttemptFacts = { attempt: 1, dedupesById: true, waited: 0, now, random: 0 }
const busy: NetworkError = { code: 'recipient_busy', detail: 'Busy.', permanent: false }
const gone: NetworkError = { code: 'recipient_gone', detail: 'Gone.', permanent: true }
const lost = uncertain('The connection broke.')

function deferred(until: number): Outcome {
  return { kind: 'deferred', until, scope: 'recipient', error: busy }
}

describe('what follows from an attempt', () => {
  test('only the acknowledgement of the network makes a message sent', () => {
    assert.deepEqual(judge(accepted, facts), { kind: 'sent' })
    for (const outcome of [rejected(busy), rejected(gone), lost, deferred(now)])
      for (const dedupesById of [true, false])
        assert.notEqual(judge(outcome, { ...facts, dedupesById }).kind, 'sent')
  })

  test('a refusal for good fails, with the words of the network', () => {
    assert.deepEqual(judge(rejected(gone), facts), { kind: 'failed', error: gone })
  })

  test('a refusal for now is tried again, later each time', () => {
    const delays = [1, 2, 3, 9, 10, 50].map((attempt) => {
      const verdict = judge(rejected(busy), { ...facts, attempt })
      assert.ok(verdict.kind === 'again' && !verdict.uncertain)
      assert.equal(verdict.error, busy)
      return verdict.at - now
    })
    assert.deepEqual(delays, [1_000, 2_000, 4_000, 256_000, 300_000, 300_000])
  })

  test('a deferral waits until the time that the network named, or not at all if that is past', () => {
    const again = { kind: 'again', error: busy, uncertain: false, deferred: true }
    assert.deepEqual(judge(deferred(now + 7_000), facts), { ...again, at: now + 7_000 })
    assert.deepEqual(judge(deferred(now - 7_000), facts), { ...again, at: now })
  })

  test('a lost answer is repeated at once, then later each time, if the network recognizes repetitions', () => {
    const at = (attempt: number) => {
      const verdict = judge(lost, { ...facts, attempt })
      assert.ok(verdict.kind === 'again' && verdict.uncertain && verdict.error === null)
      return verdict.at - now
    }
    assert.deepEqual([1, 2, 3, 4].map(at), [0, 1_000, 2_000, 4_000])
  })

  test('a lost answer is never repeated if the network does not recognize repetitions', () => {
    assert.deepEqual(judge(lost, { ...facts, dedupesById: false }), { kind: 'unknown' })
    assert.deepEqual(judge(lost, { ...facts, dedupesById: false, waited: 30_000 }), { kind: 'unknown' })
  })

  test('what the network counted and cannot show is unknown, and not repeated anywhere', () => {
    for (const dedupesById of [true, false])
      assert.deepEqual(judge(unproven('Counted.'), { ...facts, dedupesById }), { kind: 'unknown' })
  })

  test('an answer that was waited for in vain is repeated after as long at least', () => {
    const at = (attempt: number) => {
      const verdict = judge(lost, { ...facts, attempt, waited: 30_000 })
      assert.ok(verdict.kind === 'again' && verdict.uncertain)
      return verdict.at - now
    }
    assert.deepEqual([1, 2, 6, 7].map(at), [30_000, 30_000, 30_000, 32_000])
  })
})

test('delays are bounded, and spread by at most a quarter', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (n, random) => {
        const longest = retryDelay(n, 0)
        const delay = retryDelay(n, random)
        assert.ok(longest >= 1_000 && longest <= 300_000)
        assert.ok(delay > longest * 0.75 && delay <= longest)
      },
    ),
  )
})

test('every time is a whole number of milliseconds, as both databases want it', () => {
  const outcomes = fc.constantFrom(lost, rejected(busy), deferred(now + 0.5))
  const attempts = fc.integer({ min: 1, max: 100 })
  fc.assert(
    fc.property(
      outcomes,
      attempts,
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (outcome, attempt, random) => {
        const verdict = judge(outcome, { ...facts, attempt, random })
        assert.ok(verdict.kind === 'again' && Number.isSafeInteger(verdict.at), JSON.stringify(verdict))
      },
    ),
  )
})
