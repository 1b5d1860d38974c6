import type { Alarm } from '../../runtime/timers/alarms.ts'
import type { InstanceContext } from '../context.ts'
import { backOff } from './back-off.ts'

type Context = Pick<InstanceContext, 'alarms' | 'clock' | 'random'>

/** Milliseconds that a connection must last before its next loss is treated as the first. */
const steadyAfter = 10_000

/**
 * The time of an instance's next attempt: with backoff, which begins anew after an order and after a connection that has
 * lasted.
 */
export class NextAttempt {
  readonly #context: Context
  readonly #due: () => void
  #alarm: Alarm | undefined
  #attempts = 0
  /** On the monotonic clock: one that is set must not make a connection look steady. */
  #connectedSince = Number.POSITIVE_INFINITY
  /** True if the last connection said that another client uses the account. */
  #takenOver = false

  constructor(context: Context, due: () => void) {
    this.#context = context
    this.#due = due
  }

  /** Forgets the failed attempts. */
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
