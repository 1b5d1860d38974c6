import type { Log } from '../../runtime/log.ts'
import { traceIdIn } from '../../runtime/text/trace-context.ts'
import type { RateLimit } from '../access/rate-limit.ts'
import { type KnownRequest, knownFacts } from '../known-request.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { pathForLog } from '../paths/path-for-log.ts'

/**
 * Notes the responses in the log: successes at `debug`, errors of callers at `info`, our own errors at `error`. No caller
 * can fill the log: beyond the limit, responses are only counted, and the next line has their number.
 */
export class ResponseLog {
  readonly #context
  /** Responses left out of the log by organization, and those to callers without a key together. */
  readonly #leftOut = new Map<string, number>()

  constructor(context: {
    readonly log: Log
    /** Of the lines about one organization, and about all callers without a key together. */
    readonly logLimit: RateLimit | undefined
    readonly metrics: Metrics
  }) {
    this.#context = context
  }

  responded(request: KnownRequest, status: number, seconds: number): void {
    const { log } = this.#context
    const { caller } = request[knownFacts]
    const level = status >= 500 ? 'error' : status >= 400 ? 'info' : 'debug'
    if (!log.isLevelEnabled(level)) return
    const party = caller?.organizationId ?? 'nobody'
    // An operator who has set `debug` wants to see everything.
    if (level !== 'debug' && this.#isTooMuch(party)) return
    const leftOut = this.#leftOut.get(party)
    this.#leftOut.delete(party)
    const trace = traceIdIn(request.headers)
    const fields = {
      request_id: request.id,
      method: request.method,
      path: pathForLog(request.url),
      status,
      ms: Math.round(seconds * 1000),
      ...(caller ? { organization_id: caller.organizationId, key_id: caller.keyId } : {}),
      ...(trace === undefined ? {} : { trace_id: trace }),
      ...(leftOut === undefined ? {} : { left_out: leftOut }),
    }
    log[level](fields, 'request answered')
  }

  #isTooMuch(party: string): boolean {
    const { logLimit, metrics } = this.#context
    if (!logLimit) return false
    if (!logLimit.isSpent(party)) {
      logLimit.take(party)
      return false
    }
    this.#leftOut.set(party, (this.#leftOut.get(party) ?? 0) + 1)
    metrics.leftOutOfLog()
    return true
  }
}
