import type { Pausing } from '../../../networks/driver/limits.ts'

const hour = 3_600_000

/**
 * One message at a time, and after each a pause of a random length. It begins with a pause, so that a server that is restarted
 * again and again does not send a message each time. Times are monotonic milliseconds.
 */
export class RandomDelay {
  readonly #pausing: Pausing
  readonly #context
  #next = 0

  constructor(
    pausing: Pausing,
    context: {
      /** A number in [0, 1). */
      readonly random: () => number
      /** Returns the milliseconds since the account was linked; null if it is not, or needs no link. */
      readonly linkAge: () => number | null
    },
    now: number,
  ) {
    this.#pausing = pausing
    this.#context = context
    this.take(1, now)
  }

  /** Returns the number of messages that may leave now. */
  available(now: number): number {
    return now >= this.#next ? 1 : 0
  }

  take(count: number, now: number): void {
    if (count === 0) return
    const { min_seconds, max_seconds } = this.#pausing
    const seconds = min_seconds + this.#context.random() * (max_seconds - min_seconds)
    this.#next = now + seconds * 1000 * this.#factor()
  }

  /** Returns the milliseconds until the next may leave, if none may now. */
  untilNext(now: number): number {
    return Math.max(0, Math.ceil(this.#next - now))
  }

  #factor(): number {
    const age = this.#context.linkAge()
    if (age === null) return 1
    return this.#pausing.warm_up.find(({ until_hours }) => age < until_hours * hour)?.factor ?? 1
  }
}
