import type { RateMember } from './fair-rate.ts'
import { type Rates, TokenBuckets } from './token-bucket.ts'

/** Rates of traffic that one connection may have, in both directions together. Beyond them, reading pauses. */
export type TrafficRates = Rates<'stanzas' | 'bytes'>

/** The traffic of one connection, in both directions, against its own rates and those that its organization shares. */
export class Traffic {
  readonly #own: TokenBuckets<keyof TrafficRates>
  readonly #shared: RateMember<keyof TrafficRates>

  constructor(rates: TrafficRates, shared: RateMember<keyof TrafficRates>) {
    this.#own = new TokenBuckets(rates)
    this.#shared = shared
  }

  take(name: keyof TrafficRates, count: number): void {
    if (count === 0) return
    this.#own.take(name, count)
    this.#shared.take(name, count)
  }

  /** Milliseconds until the connection's own rates allow more. */
  wait(): number {
    return this.#own.owed().wait
  }

  /** Returns true if it is this connection's turn among those of its organization. If not, it is woken then. */
  isTurn(): boolean {
    return this.#shared.mayGoOn()
  }

  /** Resolves when it is its turn, or the signal aborts. */
  turn(signal: AbortSignal): Promise<void> {
    return this.#shared.turn(signal)
  }

  leave(): void {
    this.#shared.leave()
  }
}
