import type { Clock } from '../../runtime/clock.ts'
import { RateLimit } from './rate-limit.ts'

/** Several people may have a page open, which asks every two seconds. */
const reading = { count: 120, seconds: 60 }
/** Networks suspect accounts for which links are begun again and again. */
const acting = { count: 20, seconds: 600 }

/** Limits how often a link page may be read, and how often its visitors may act on it. */
export class LinkPageLimit {
  readonly #reading: RateLimit
  readonly #acting: RateLimit

  constructor(clock: Clock) {
    this.#reading = new RateLimit(reading, clock, { name: 'link-page' })
    this.#acting = new RateLimit(acting, clock, { name: 'link-page-actions' })
  }

  /** Takes a token; returns the headers that say how many are left, or throws the problem if there is none. */
  take(id: string, method: string): Record<string, string> {
    return (method === 'GET' ? this.#reading : this.#acting).take(id)
  }
}
