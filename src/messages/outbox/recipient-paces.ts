import type { Pacing } from '../../networks/driver/driver.ts'
import { Pace } from './pace.ts'

/** How many recipients are looked through for some that need not be remembered, whenever one is added. */
const lookedThrough = 4

/**
 * At most so many messages in so many seconds for each recipient. Only those who got a message in that time are remembered.
 * Times are monotonic milliseconds.
 */
export class RecipientPaces {
  readonly #pacing: Pacing | null
  /** By recipient, whoever got a message longest ago first. */
  readonly #paces = new Map<string, Pace>()

  constructor(pacing: Pacing | null) {
    this.#pacing = pacing
  }

  /** Counts a message to the recipient, and returns 0; or returns in how many milliseconds it may leave. */
  take(recipient: string, now: number): number {
    if (!this.#pacing) return 0
    this.#forget(now)
    const pace = this.#paces.get(recipient) ?? new Pace(this.#pacing)
    if (pace.available(now) === 0) return pace.untilNext(now)
    pace.take(1, now)
    this.#paces.delete(recipient)
    this.#paces.set(recipient, pace)
    return 0
  }

  /** How many recipients are remembered. */
  get size(): number {
    return this.#paces.size
  }

  #forget(now: number): void {
    let looked = 0
    for (const [recipient, pace] of this.#paces) {
      if (looked++ === lookedThrough || !pace.isRested(now)) return
      this.#paces.delete(recipient)
    }
  }
}
