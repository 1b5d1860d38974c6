import type { Rate } from '../../../runtime/config/setting-values.ts'
import { SlidingWindowLimit } from '../../../runtime/limits/sliding-window-limit.ts'

/** Recipients that are checked, and forgotten if they can be, each time one is added. */
const forgottenAtOnce = 4

/**
 * At most so many messages in so many seconds for each recipient. Only recipients of that time are remembered.
 * Times are monotonic milliseconds.
 */
export class RecipientLimits {
  readonly #rate: Rate | null
  /** By recipient, the one with the oldest message first. */
  readonly #limits = new Map<string, SlidingWindowLimit>()

  constructor(rate: Rate | null) {
    this.#rate = rate
  }

  /** Counts a message to the recipient, and returns 0; or returns in how many milliseconds it may leave. */
  take(recipient: string, now: number): number {
    if (!this.#rate) return 0
    this.#forget(now)
    const limit = this.#limits.get(recipient) ?? new SlidingWindowLimit(this.#rate)
    if (limit.available(now) === 0) return limit.untilNext(now)
    limit.take(1, now)
    this.#limits.delete(recipient)
    this.#limits.set(recipient, limit)
    return 0
  }

  /** Recipients that are remembered. */
  get size(): number {
    return this.#limits.size
  }

  #forget(now: number): void {
    let looked = 0
    for (const [recipient, limit] of this.#limits) {
      if (looked++ === forgottenAtOnce || !limit.isUnused(now)) return
      this.#limits.delete(recipient)
    }
  }
}
