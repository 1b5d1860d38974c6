import type { Clock } from '../runtime/clock.ts'
import type { Alarm, Alarms } from '../runtime/timers/alarms.ts'

/** Milliseconds before the store is asked again after it failed. */
const retryDelay = 1_000

interface Time {
  readonly clock: Clock
  readonly alarms: Pick<Alarms, 'in' | 'at'>
}

/**
 * Decides when a part asks the store next: when something is due or, while the store is away, a second after each failure. It
 * is one alarm, and the earliest time wins, because each time the part finds out anew what is due.
 */
export class WakeUp {
  readonly #time: Time
  readonly #wake: () => void
  #alarm: Alarm | undefined
  #at = 0

  constructor(time: Time, wake: () => void) {
    this.#time = time
    this.#wake = wake
  }

  get isSet(): boolean {
    return this.#alarm !== undefined
  }

  /** Wakes in `delay` milliseconds, unless it wakes earlier anyway. */
  in(delay: number): void {
    this.#set(delay, (wake) => this.#time.alarms.in(delay, wake))
  }

  /** Wakes at this moment of the wall clock, or earlier if the clock is set back meanwhile (`Alarms.at`). */
  at(moment: number): void {
    this.#set(moment - this.#time.clock.now(), (wake) => this.#time.alarms.at(moment, wake))
  }

  #set(delay: number, alarm: (wake: () => void) => Alarm): void {
    const at = this.#time.clock.monotonic() + delay
    if (this.#alarm && this.#at <= at) return
    this.#alarm?.cancel()
    this.#at = at
    this.#alarm = alarm(() => {
      this.#alarm = undefined
      this.#wake()
    })
  }

  /** The store failed: it is asked again. */
  afterFailure(): void {
    this.in(retryDelay)
  }

  cancel(): void {
    this.#alarm?.cancel()
    this.#alarm = undefined
  }
}
