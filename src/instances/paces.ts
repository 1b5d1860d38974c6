import type { Clock } from '../runtime/clock.ts'
import type { Rate } from '../runtime/config/setting-values.ts'
import { TokenBucket } from '../runtime/limits/token-bucket.ts'

/** Instances whose pace is kept; the one that was asked through longest ago is forgotten first. */
const maxPaced = 10_000

/** Keeps each instance to the pace of its network. */
export class Paces {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** Takes places for so many; returns the seconds after which there would be enough, or 0 if there are. */
  take(id: string, rate: Rate, count: number): number {
    const now = this.#clock.monotonic()
    const bucket = this.#buckets.get(id) ?? new TokenBucket(rate, now)
    this.#buckets.delete(id)
    this.#buckets.set(id, bucket)
    if (this.#buckets.size > maxPaced) this.#buckets.delete(this.#buckets.keys().next().value as string)
    const missing = Math.min(count, rate.count) - bucket.available(now)
    if (missing > 0) return Math.max(1, Math.ceil((missing * rate.seconds) / rate.count))
    bucket.take(count)
    return 0
  }
}
