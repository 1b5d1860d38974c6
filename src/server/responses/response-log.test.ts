import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Clock } from '../../runtime/clock.ts'
import { openLog } from '../../runtime/log.ts'
import { RateLimit } from '../access/rate-limit.ts'
import { type KnownRequest, knownFacts } from '../known-request.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { ResponseLog } from './response-log.ts'

const rate = { count: 10, seconds: 10 }

/** A log of responses with ten lines in ten seconds for each party, and what it wrote. */
function responseLog(level = 'info') {
  let now = 0
  let leftOut = 0
  const clock = { monotonic: () => now } as Clock
  const lines: Record<string, unknown>[] = []
  const log = openLog(level, { write: (line: string) => lines.push(JSON.parse(line)) })
  const metrics = { leftOutOfLog: () => leftOut++ } as unknown as Metrics
  const answers = new ResponseLog({ log, metrics, logLimit: new RateLimit(rate, clock) })
  return {
    lines,
    leftOut: () => leftOut,
    pass: (ms: number) => {
      now += ms
    },
    /** Answers requests of an organization, or of callers without a key. */
    answer(count: number, status: number, organizationId?: string) {
      const caller = organizationId && { organizationId, keyId: 'key_1' }
      const request = {
        id: 'req_1',
        method: 'POST',
        url: '/v1/messages/text',
        headers: {},
        [knownFacts]: { caller },
      }
      for (let sent = 0; sent < count; sent++)
        answers.responded(request as unknown as KnownRequest, status, 0.001)
    },
  }
}

describe('the log of answers', () => {
  test('has few lines about a flood of callers without a key, and tells how many it left out', () => {
    const { lines, leftOut, answer, pass } = responseLog()
    answer(5_000, 401)
    assert.equal(lines.length, 10)
    assert.equal(leftOut(), 4_990)
    pass(1_000)
    answer(5_000, 429)
    assert.equal(lines.length, 11)
    assert.equal(lines.at(-1)?.left_out, 4_990)
    pass(2_000)
    answer(2, 401)
    assert.deepEqual(
      lines.slice(-2).map((line) => line.left_out),
      [4_999, undefined],
    )
  })

  test('loses no line about an organization for what others ask, nor about strangers for what one does', () => {
    const { lines, answer } = responseLog()
    answer(1_000, 401)
    answer(1_000, 422, 'org_loud')
    answer(5, 404, 'org_quiet')
    answer(5, 500, 'org_quiet')
    const about = (id: unknown) => lines.filter(({ organization_id }) => organization_id === id)
    assert.deepEqual(
      [undefined, 'org_loud', 'org_quiet'].map((id) => about(id).length),
      [10, 10, 10],
    )
    assert.deepEqual(new Set(about('org_quiet').map(({ left_out }) => left_out)), new Set([undefined]))
  })

  test('says everything at debug, of answers that went well', () => {
    const { lines, answer } = responseLog('debug')
    answer(100, 200, 'org_1')
    assert.equal(lines.length, 100)
  })
})
