import { Problem } from '../contract/problem.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Rate } from '../runtime/setting-values.ts'

const rememberedAtMost = 100_000

/** A token bucket for each key: a full burst at once, then refilled evenly. */
export class RateLimit {
  readonly #rate: Rate
  readonly #clock: Clock
  readonly #policy: string
  readonly #buckets = new Map<string, { tokens: number; at: number }>()

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate
    this.#clock = clock
    this.#policy = `"default";q=${rate.count};w=${rate.seconds}`
  }

  /** Takes a token; returns the headers that tell how many are left, or throws the problem of having none. */
  take(keyId: string): Record<string, string> {
    const { count, seconds } = this.#rate
    const now = this.#clock.monotonic()
    const bucket = this.#bucketOf(keyId, now)
    bucket.tokens = Math.min(count, bucket.tokens + ((now - bucket.at) / 1000) * (count / seconds))
    bucket.at = now
    const enough = bucket.tokens >= 1
    if (enough) bucket.tokens--
    const left = Math.floor(bucket.tokens)
    const full = Math.ceil(((count - bucket.tokens) * seconds) / count)
    const headers = { 'ratelimit-policy': this.#policy, ratelimit: `"default";r=${left};t=${full}` }
    if (enough) return headers
    const wait = Math.max(1, Math.ceil(((1 - bucket.tokens) * seconds) / count))
    throw new Problem('rate_limited', { headers: { ...headers, 'retry-after': String(wait) } })
  }

  #bucketOf(keyId: string, now: number): { tokens: number; at: number } {
    const known = this.#buckets.get(keyId)
    if (known) return known
    if (this.#buckets.size >= rememberedAtMost) this.#buckets.clear()
    const fresh = { tokens: this.#rate.count, at: now }
    this.#buckets.set(keyId, fresh)
    return fresh
  }
}
