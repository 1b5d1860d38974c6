import { Pace } from '../messages/pace.ts'
import type { Alarms } from '../runtime/alarms.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Rate } from '../runtime/config.ts'

/** Lets connections be opened no faster than a rate, in the order in which they were asked for. */
export class Admission {
  readonly #pace: Pace
  readonly #clock: Clock
  readonly #alarms: Pick<Alarms, 'in'>
  #waiting: (() => void)[] = []
  #scheduled = false

  constructor(rate: Rate | undefined, { clock, alarms }: { clock: Clock; alarms: Pick<Alarms, 'in'> }) {
    this.#clock = clock
    this.#alarms = alarms
    this.#pace = new Pace(rate ? { messages: rate.count, seconds: rate.seconds } : null)
  }

  ask(go: () => void): void {
    this.#waiting.push(go)
    if (!this.#scheduled) this.#admit()
  }

  end(): void {
    this.#waiting = []
  }

  #admit(): void {
    this.#scheduled = false
    const now = this.#clock.monotonic()
    const count = Math.min(this.#pace.available(now), this.#waiting.length)
    this.#pace.take(count, now)
    for (const go of this.#waiting.splice(0, count)) go()
    if (this.#waiting.length === 0) return
    this.#scheduled = true
    this.#alarms.in(this.#pace.untilNext(now), () => this.#admit())
  }
}
