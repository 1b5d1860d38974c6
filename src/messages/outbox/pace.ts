import type { Pacing } from '../../networks/driver/driver.ts'

/**
 * At most so many in so many seconds, whichever seconds are looked at: what left is remembered until it is too long ago
 * to count. Times are monotonic milliseconds.
 */
export class Pace {
  readonly pacing: Pacing | null
  #taken: { readonly at: number; readonly count: number }[] = []
  #total = 0

  constructor(pacing: Pacing | null) {
    this.pacing = pacing
  }

  /** The same with another limit: what left still counts, as far as it is remembered. */
  changed(pacing: Pacing | null): Pace {
    const next = new Pace(pacing)
    if (pacing) {
      next.#taken = [...this.#taken]
      next.#total = this.#total
    }
    return next
  }

  /** How many may leave now. */
  available(now: number): number {
    if (!this.pacing) return Number.MAX_SAFE_INTEGER
    const begin = now - this.pacing.seconds * 1000
    const kept = this.#taken.findIndex(({ at }) => at > begin)
    const forgotten = this.#taken.splice(0, kept < 0 ? this.#taken.length : kept)
    for (const { count } of forgotten) this.#total -= count
    return Math.max(0, this.pacing.messages - this.#total)
  }

  /** True if nothing that left still counts. */
  isRested(now: number): boolean {
    this.available(now)
    return this.#total === 0
  }

  /** So many left just now. */
  take(count: number, now: number): void {
    if (!this.pacing || count === 0) return
    this.#taken.push({ at: now, count })
    this.#total += count
  }

  /** In how many milliseconds the next may leave, if none may now. */
  untilNext(now: number): number {
    const first = this.#taken[0]
    if (!this.pacing || !first) return 0
    return Math.max(0, Math.ceil(first.at + this.pacing.seconds * 1000 - now))
  }
}
