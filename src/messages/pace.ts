import type { Pacing } from '../networks/driver.ts'

/** A token bucket: at most `messages` at once, refilled evenly over `seconds`. Times are monotonic milliseconds. */
export class Pace {
  readonly #pacing: Pacing | null
  #tokens: number
  #at: number

  constructor(pacing: Pacing | null, now: number) {
    this.#pacing = pacing
    this.#tokens = pacing?.messages ?? 0
    this.#at = now
  }

  /** How many messages may leave now. */
  available(now: number): number {
    if (!this.#pacing) return Number.MAX_SAFE_INTEGER
    const { messages, seconds } = this.#pacing
    this.#tokens = Math.min(messages, this.#tokens + ((now - this.#at) * messages) / (seconds * 1000))
    this.#at = now
    return Math.floor(this.#tokens)
  }

  take(count: number): void {
    if (this.#pacing) this.#tokens -= count
  }

  /** In how many milliseconds the next message may leave, if none may now. */
  untilNext(): number {
    if (!this.#pacing) return 0
    const { messages, seconds } = this.#pacing
    return Math.max(0, Math.ceil(((1 - this.#tokens) * seconds * 1000) / messages))
  }
}
