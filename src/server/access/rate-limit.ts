import { Problem } from '../../contract/problem.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Rate } from '../../runtime/config/setting-values.ts'

const rememberedAtMost = 100_000

interface Bucket {
  tokens: number
  at: number
}

interface Naming {
  /** The name of the limit in headers. */
  readonly name?: string
  /** What the problem says, instead of what it says of every limit. */
  readonly detail?: string
}

/** A token bucket for each caller: a full burst at once, then refilled evenly. Who was not seen for longest is forgotten first. */
export class RateLimit {
  readonly #rate: Rate
  readonly #clock: Clock
  readonly #name: string
  readonly #detail: string | undefined
  readonly #buckets = new Map<string, Bucket>()

  constructor(rate: Rate, clock: Clock, { name = 'default', detail }: Naming = {}) {
    this.#rate = rate
    this.#clock = clock
    this.#name = name
    this.#detail = detail
  }

  /** Whether the next token would be refused. Takes no token. */
  isSpent(caller: string): boolean {
    const bucket = this.#buckets.get(caller)
    return bucket !== undefined && this.#tokensIn(bucket, this.#clock.monotonic()) < 1
  }

  /** Takes a token; returns the headers that say how many are left, or throws the problem if there is none. */
  take(caller: string): Record<string, string> {
    const { count, seconds } = this.#rate
    const now = this.#clock.monotonic()
    const bucket = this.#bucketOf(caller, now)
    bucket.tokens = this.#tokensIn(bucket, now)
    bucket.at = now
    const enough = bucket.tokens >= 1
    if (enough) bucket.tokens--
    const left = Math.floor(bucket.tokens)
    const full = Math.ceil(((count - bucket.tokens) * seconds) / count)
    const headers = {
      'ratelimit-policy': `"${this.#name}";q=${count};w=${seconds}`,
      ratelimit: `"${this.#name}";r=${left};t=${full}`,
    }
    if (enough) return headers
    const wait = Math.max(1, Math.ceil(((1 - bucket.tokens) * seconds) / count))
    throw new Problem('rate_limited', {
      ...(this.#detail === undefined ? {} : { detail: this.#detail }),
      headers: { ...headers, 'retry-after': String(wait) },
    })
  }

  #tokensIn({ tokens, at }: Bucket, now: number): number {
    const { count, seconds } = this.#rate
    return Math.min(count, tokens + ((now - at) / 1000) * (count / seconds))
  }

  #bucketOf(caller: string, now: number): Bucket {
    const bucket = this.#buckets.get(caller) ?? { tokens: this.#rate.count, at: now }
    // Last in the map is who was seen last.
    this.#buckets.delete(caller)
    this.#buckets.set(caller, bucket)
    if (this.#buckets.size > rememberedAtMost)
      this.#buckets.delete(this.#buckets.keys().next().value as string)
    return bucket
  }
}
