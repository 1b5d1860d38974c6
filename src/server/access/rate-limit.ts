import { Problem } from '../../contract/problem.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Rate } from '../../runtime/config/setting-values.ts'
import { TokenBucket } from '../../runtime/limits/token-bucket.ts'

const maxCallers = 100_000

interface Naming {
  /** The name of the limit in headers. */
  readonly name?: string
  /** Detail of the problem, instead of the usual one of all limits. */
  readonly detail?: string
}

/** A token bucket for each caller. The caller that was not seen for longest is forgotten first. */
export class RateLimit {
  readonly #rate: Rate
  readonly #clock: Clock
  readonly #name: string
  readonly #detail: string | undefined
  readonly #buckets = new Map<string, TokenBucket>()
  /** Tokens that were taken here since they were last told, if they are told to others. */
  #taken: Map<string, number> | undefined

  constructor(rate: Rate, clock: Clock, { name = 'default', detail }: Naming = {}) {
    this.#rate = rate
    this.#clock = clock
    this.#name = name
    this.#detail = detail
  }

  /** True if the next token would be refused. Takes no token. */
  isSpent(caller: string): boolean {
    const bucket = this.#buckets.get(caller)
    return bucket !== undefined && bucket.available(this.#clock.monotonic()) < 1
  }

  /** Returns the tokens that were taken since the last call, by caller, so that others can count them. */
  takenSince(): ReadonlyMap<string, number> {
    const taken = this.#taken ?? new Map<string, number>()
    this.#taken = new Map()
    return taken
  }

  /** Counts tokens that were taken elsewhere. */
  takenElsewhere(caller: string, tokens: number): void {
    this.#bucketOf(caller, this.#clock.monotonic()).take(tokens)
  }

  /** Takes a token; returns the headers that say how many are left, or throws the problem if there is none. */
  take(caller: string): Record<string, string> {
    const { count, seconds } = this.#rate
    const now = this.#clock.monotonic()
    const bucket = this.#bucketOf(caller, now)
    const enough = bucket.available(now) >= 1
    if (enough) bucket.take(1)
    if (enough && this.#taken) this.#taken.set(caller, (this.#taken.get(caller) ?? 0) + 1)
    const tokens = bucket.available(now)
    const headers = this.#headers(tokens)
    if (enough) return headers
    const wait = Math.max(1, Math.ceil(((1 - tokens) * seconds) / count))
    throw new Problem('rate_limited', {
      ...(this.#detail === undefined ? {} : { detail: this.#detail }),
      headers: { ...headers, 'retry-after': String(wait) },
    })
  }

  /**
   * Takes tokens for a request that was let in already and counts as several: those that are not there are owed, and later requests
   * wait for them. Returns the headers anew.
   */
  owe(caller: string, tokens: number): Record<string, string> {
    const now = this.#clock.monotonic()
    const bucket = this.#bucketOf(caller, now)
    bucket.take(tokens)
    if (this.#taken) this.#taken.set(caller, (this.#taken.get(caller) ?? 0) + tokens)
    return this.#headers(bucket.available(now))
  }

  #headers(tokens: number): Record<string, string> {
    const { count, seconds } = this.#rate
    const left = Math.max(0, Math.floor(tokens))
    const full = Math.ceil(((count - tokens) * seconds) / count)
    return {
      'ratelimit-policy': `"${this.#name}";q=${count};w=${seconds}`,
      ratelimit: `"${this.#name}";r=${left};t=${full}`,
    }
  }

  #bucketOf(caller: string, now: number): TokenBucket {
    const bucket = this.#buckets.get(caller) ?? new TokenBucket(this.#rate, now)
    // The last in the map was seen last.
    this.#buckets.delete(caller)
    this.#buckets.set(caller, bucket)
    if (this.#buckets.size > maxCallers) this.#buckets.delete(this.#buckets.keys().next().value as string)
    return bucket
  }
}
