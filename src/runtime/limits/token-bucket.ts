/** A rate: so many in so many seconds, and all of them at once after a pause. */
export interface TokenRate {
  readonly count: number
  readonly seconds: number
}

/** A full burst at once, then refilled evenly. One may take more than there is: the rest is owed. */
export class TokenBucket {
  readonly #rate: TokenRate
  #tokens: number
  #at: number

  /** Times are monotonic milliseconds. */
  constructor(rate: TokenRate, now: number) {
    this.#rate = rate
    this.#tokens = rate.count
    this.#at = now
  }

  take(count: number): void {
    this.#tokens -= count
  }

  /** How long to wait until nothing is owed, in milliseconds. */
  wait(now: number): number {
    const { count, seconds } = this.#rate
    const each = (seconds * 1000) / count
    this.#tokens = Math.min(count, this.#tokens + (now - this.#at) / each)
    this.#at = now
    return this.#tokens >= 0 ? 0 : Math.ceil(-this.#tokens * each)
  }
}
