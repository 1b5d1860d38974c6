import type { Rate } from '../config/setting-values.ts'

/**
 * Allows so many in so many seconds, in every window of that length: what was taken counts until it is that old. A token bucket
 * would allow twice as many in a window that begins with a burst. Times are monotonic milliseconds.
 */
export class SlidingWindowLimit {
  readonly rate: Rate | null
  #taken: { readonly at: number; readonly count: number }[] = []
  #total = 0

  /** Without a rate, everything is allowed. */
  constructor(rate: Rate | null) {
    this.rate = rate
  }

  /** The same with another rate: what was taken still counts, as far as it is remembered. */
  changed(rate: Rate | null): SlidingWindowLimit {
    const next = new SlidingWindowLimit(rate)
    if (rate) {
      next.#taken = [...this.#taken]
      next.#total = this.#total
    }
    return next
  }

  /** Returns how many may be taken now. */
  available(now: number): number {
    if (!this.rate) return Number.MAX_SAFE_INTEGER
    const begin = now - this.rate.seconds * 1000
    const kept = this.#taken.findIndex(({ at }) => at > begin)
    const forgotten = this.#taken.splice(0, kept < 0 ? this.#taken.length : kept)
    for (const { count } of forgotten) this.#total -= count
    return Math.max(0, this.rate.count - this.#total)
  }

  /** True if nothing that was taken still counts. */
  isUnused(now: number): boolean {
    this.available(now)
    return this.#total === 0
  }

  take(count: number, now: number): void {
    if (!this.rate || count === 0) return
    this.#taken.push({ at: now, count })
    this.#total += count
  }

  /**
   * Takes more than may be taken now, if some may: what exceeds that counts as taken when it may be, so that later ones wait for as long
   * as it is worth.
   */
  takeAhead(count: number, now: number): void {
    if (!this.rate) return
    const length = this.rate.seconds * 1000
    let at = Math.max(now, this.#taken.at(-1)?.at ?? now)
    for (let left = count; left > 0; ) {
      const counting = this.#taken.filter((one) => one.at > at - length)
      const room = this.rate.count - counting.reduce((sum, one) => sum + one.count, 0)
      const some = Math.min(left, Math.max(0, room))
      this.take(some, at)
      left -= some
      if (left > 0) at = (counting[0]?.at ?? at) + length
    }
  }

  /** Returns the milliseconds until the next may be taken, if none may now. */
  untilNext(now: number): number {
    const first = this.#taken[0]
    if (!this.rate || !first) return 0
    return Math.max(0, Math.ceil(first.at + this.rate.seconds * 1000 - now))
  }
}
