import type { FromWorker } from '../processes/worker-protocol.ts'

/**
 * Errors of one client that are told, and the milliseconds of the window: remote senders may cause them, and the server
 * writes each in its log.
 */
const maxTold = 10
const period = 60_000

/** Length of a trace that is told: lines, and characters of each. */
const maxLines = 4
const longestLine = 300

interface Period {
  readonly since: number
  told: number
  leftOut: number
}

/** Unexpected errors, as the server is told: so many of each client that no client fills the log. */
export class Troubles {
  readonly #now: () => number
  readonly #periods = new WeakMap<object, Period>()

  /** `now`: a monotonic clock, in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /**
   * Returns the error to tell; null if none is. `party`: the client in which it happened, or the name for all errors outside
   * of clients.
   */
  take(
    party: object,
    what: 'rejected' | 'thrown',
    error: unknown,
  ): Extract<FromWorker, { kind: 'trouble' }> | null {
    const now = this.#now()
    let present = this.#periods.get(party)
    const left_out = present?.leftOut ?? 0
    if (!present || now - present.since >= period) {
      present = { since: now, told: 0, leftOut: 0 }
      this.#periods.set(party, present)
    }
    if (present.told === maxTold) {
      present.leftOut += 1
      return null
    }
    present.told += 1
    return { kind: 'trouble', what, stack: stackOf(error), ...(left_out > 0 && { left_out }) }
  }
}

/** Returns the trace of an error without its message, which may contain anything. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const stack = String(error.stack)
  const message = stack.indexOf(error.message)
  return stack
    .slice(message < 0 ? 0 : message + error.message.length)
    .split('\n')
    .filter((line) => /^ {4}at .*:\d+:\d+\)?$/.test(line))
    .slice(0, maxLines)
    .map((line) => line.slice(0, longestLine))
    .join('\n')
}
