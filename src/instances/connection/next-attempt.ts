import type { Clock } from '../../runtime/clock.ts'
import type { Alarm, Alarms } from '../../runtime/timers/alarms.ts'
import { backOff } from './back-off.ts'

interface NextAttemptContext {
  readonly alarms: Pick<Alarms, 'in'>
  readonly clock: Clock
  readonly random: () => number
}

/** How long a connection must last before its next loss is treated as the first, in milliseconds. */
const steadyAfter = 10_000

/** When an instance tries again: with backoff, which begins anew after an order and after a connection that has lasted. */
export class NextAttempt {
  readonly #context: NextAttemptContext
  readonly #due: () => void
  #alarm: Alarm | undefined
  #attempts = 0
  /** On the monotonic clock: one that is set must not make a connection look steady. */
  #connectedSince = Number.POSITIVE_INFINITY
  /** Whether somebody else uses the account, by what the last connection said. */
  #takenOver = false

  constructor(context: NextAttemptContext, due: () => void) {
    this.#context = context
    this.#due = due
  }

  /** What failed so far does not count any longer. */
  beginAnew(): void {
    this.#attempts = 0
  }

  opened(): void {
    this.#connectedSince = this.#context.clock.monotonic()
  }

  lost(takenOver: boolean): void {
    this.#takenOver = takenOver
  }

  /** Schedules the next attempt, and returns when it is due, in milliseconds since the epoch. */
  schedule(): number {
    const { alarms, clock, random } = this.#context
    if (clock.monotonic() - this.#connectedSince >= steadyAfter) this.#attempts = 0
    this.#connectedSince = Number.POSITIVE_INFINITY
    const delay = backOff(++this.#attempts, random(), this.#takenOver)
    this.#takenOver = false
    this.#alarm = alarms.in(delay, this.#due)
    return clock.now() + delay
  }

  cancel(): void {
    this.#alarm?.cancel()
  }
}
