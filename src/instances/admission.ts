import { Pace } from '../messages/pace.ts'
import type { Alarms } from '../runtime/alarms.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Rate } from '../runtime/config.ts'

/** Lets connections be opened no faster than a rate, in the order in which they were asked for. */
export class Admission {
  readonly #pace: Pace
  readonly #clock: Clock
  readonly #alarms: Pick<Alarms, 'in'>
  /** By who asks: whoever asks again keeps the place and has one place. */
  readonly #waiting = new Map<string, () => void>()
  #scheduled = false

  constructor(rate: Rate | undefined, { clock, alarms }: { clock: Clock; alarms: Pick<Alarms, 'in'> }) {
    this.#clock = clock
    this.#alarms = alarms
    this.#pace = new Pace(rate ? { messages: rate.count, seconds: rate.seconds } : null)
  }

  ask(who: string, go: () => void): void {
    this.#waiting.set(who, go)
    if (!this.#scheduled) this.#admit()
  }

  end(): void {
    this.#waiting.clear()
  }

  #admit(): void {
    this.#scheduled = false
    const now = this.#clock.monotonic()
    const count = Math.min(this.#pace.available(now), this.#waiting.size)
    this.#pace.take(count, now)
    for (const [who, go] of [...this.#waiting].slice(0, count)) {
      this.#waiting.delete(who)
      go()
    }
    if (this.#scheduled || this.#waiting.size === 0) return
    this.#scheduled = true
    this.#alarms.in(this.#pace.untilNext(now), () => this.#admit())
  }
}
