import type { Rate } from '../config/setting-values.ts'

/** Allows a full burst at once, then refills evenly. More may be taken than is there: the rest is owed. Times are monotonic milliseconds. */
export class TokenBucket {
  readonly #rate: Rate
  #tokens: number
  #at: number

  constructor(rate: Rate, now: number) {
    this.#rate = rate
    this.#tokens = rate.count
    this.#at = now
  }

  /** Takes tokens, and returns the milliseconds in which as many come in again. */
  take(count: number): number {
    this.#tokens -= count
    return count * this.#each
  }

  /** The tokens that are there; negative while some are owed. */
  available(now: number): number {
    const { count, seconds } = this.#rate
    this.#tokens = Math.min(count, this.#tokens + ((now - this.#at) / 1000) * (count / seconds))
    this.#at = now
    return this.#tokens
  }

  /** Milliseconds until nothing is owed. */
  wait(now: number): number {
    return Math.max(0, Math.ceil(-this.available(now) * this.#each))
  }

  get #each(): number {
    return (this.#rate.seconds * 1000) / this.#rate.count
  }
}

/** Rates by what they limit; undefined for no limit. */
export type Rates<Name extends string> = Readonly<Record<Name, Rate | undefined>>

/** A bucket for each of several rates. Times are those of `performance.now()`. */
export class TokenBuckets<Name extends string> {
  readonly #buckets: ReadonlyMap<string, TokenBucket>

  constructor(rates: Rates<Name>) {
    const given = Object.entries<Rate | undefined>(rates)
    this.#buckets = new Map(
      given.flatMap(([name, rate]) => (rate ? [[name, new TokenBucket(rate, performance.now())]] : [])),
    )
  }

  /** Takes tokens, and returns the milliseconds in which as many come in again: 0 without a limit. */
  take(name: Name, count: number): number {
    return this.#buckets.get(name)?.take(count) ?? 0
  }

  /** Milliseconds until nothing is owed, and the rate for which that takes longest. */
  owed(): { readonly wait: number; readonly name: Name | undefined } {
    const now = performance.now()
    let longest: { wait: number; name: string | undefined } = { wait: 0, name: undefined }
    for (const [name, bucket] of this.#buckets) {
      const wait = bucket.wait(now)
      if (wait > longest.wait) longest = { wait, name }
    }
    return longest as { wait: number; name: Name | undefined }
  }
}
