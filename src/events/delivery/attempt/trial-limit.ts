import { Problem } from '../../../contract/problem.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { TokenBucket } from '../../../runtime/limits/token-bucket.ts'

/** Trials of an organization. A trial takes 20 seconds at most, so no more than these, and a few, are under way. */
const rate = { count: 10, seconds: 60 }
/** Organizations whose trials are counted; the one that tried first is forgotten first. */
const maxOrganizations = 10_000

/** Holds each organization to its rate of trials: they post to any URL that callers name, however often they ask. */
export class TrialLimit {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** Takes one trial, or throws the problem if the organization has none left. */
  take(organization: string): void {
    const now = this.#clock.monotonic()
    const bucket = this.#buckets.get(organization) ?? new TokenBucket(rate, now)
    this.#buckets.delete(organization)
    this.#buckets.set(organization, bucket)
    const [oldest] = this.#buckets.keys()
    if (this.#buckets.size > maxOrganizations && oldest !== undefined) this.#buckets.delete(oldest)
    const left = bucket.available(now)
    if (left >= 1) {
      bucket.take(1)
      return
    }
    const seconds = Math.max(1, Math.ceil(((1 - left) * rate.seconds) / rate.count))
    throw new Problem('rate_limited', {
      detail: `An organization may try ${rate.count} URLs a minute. Repeat the request after the number of seconds in \`Retry-After\`.`,
      headers: {
        'retry-after': String(seconds),
        ratelimit: `"webhook-trials";r=0;t=${seconds}`,
        'ratelimit-policy': `"webhook-trials";q=${rate.count};w=${rate.seconds}`,
      },
    })
  }
}
