import { type Rates, TokenBuckets } from './token-bucket.ts'

/** Milliseconds after which it is looked again at least: time may pass more slowly than timers say. */
const minWait = 1

/**
 * Token buckets that the members of one party share. While something is owed, the members take turns, and the one that will have
 * taken least goes first: a member that takes little waits for no more than what another takes in one turn, however many others
 * there are, and however much they want. (This is fair queueing by finish times; a turn is expected to take what the last one took.)
 */
export class FairRate<Name extends string> {
  readonly #buckets: TokenBuckets<Name>
  readonly #onReached: (name: Name) => void
  readonly #waiting = new Set<RateMember<Name>>()
  /** Milliseconds of the rate that the member served last had taken by then: a newcomer has not saved up turns. */
  #served = 0
  #timer: NodeJS.Timeout | null = null

  /** `onReached` is called with the name of the rate when members begin to wait. */
  constructor(rates: Rates<Name>, onReached: (name: Name) => void = () => {}) {
    this.#buckets = new TokenBuckets(rates)
    this.#onReached = onReached
  }

  /** `wake` is called when it is the member's turn after it had to wait. */
  join(wake: () => void = () => {}): RateMember<Name> {
    return new RateMember(this, wake)
  }

  take(member: RateMember<Name>, name: Name, count: number): void {
    const time = this.#buckets.take(name, count)
    if (time === 0) return
    member.taken = Math.max(member.taken, this.#served) + time
    member.lastTurn += time
  }

  mayGoOn(member: RateMember<Name>): boolean {
    const { wait, name } = this.#buckets.owed()
    if (member.isNext || (wait === 0 && this.#waiting.size === 0)) {
      member.isNext = false
      member.lastTurn = 0
      return true
    }
    if (this.#waiting.size === 0 && name !== undefined) this.#onReached(name)
    this.#waiting.add(member)
    this.#serveIn(wait)
    return false
  }

  leave(member: RateMember<Name>): void {
    this.#waiting.delete(member)
  }

  #leastWaiting(): RateMember<Name> | undefined {
    let least: RateMember<Name> | undefined
    let lowest = Number.POSITIVE_INFINITY
    for (const member of this.#waiting) {
      const after = Math.max(member.taken, this.#served) + member.lastTurn
      if (after < lowest) [least, lowest] = [member, after]
    }
    return least
  }

  #serveIn(wait: number): void {
    this.#timer ??= setTimeout(
      () => {
        this.#timer = null
        this.#serve()
      },
      Math.max(wait, minWait),
    )
  }

  /** Lets the members that took least go on until something is owed again: each at once, or in its turn at the thread. */
  #serve(): void {
    const { wait } = this.#buckets.owed()
    const least = this.#leastWaiting()
    if (!least) return
    if (wait > 0) {
      this.#serveIn(wait)
      return
    }
    this.#waiting.delete(least)
    this.#served = Math.max(this.#served, least.taken)
    least.isNext = true
    least.wake()
    // Its use counts before the next one is served.
    if (this.#waiting.size > 0) setImmediate(() => setImmediate(() => this.#timer ?? this.#serve()))
  }
}

/** One of those that share a rate. */
export class RateMember<Name extends string> {
  /** Milliseconds of the rate that it took, or that others had taken when it came. */
  taken = 0
  /** Milliseconds of the rate that it took in its last turn. */
  lastTurn = 0
  /** It is its turn. */
  isNext = false
  wake: () => void
  readonly #rate: FairRate<Name>

  constructor(rate: FairRate<Name>, wake: () => void) {
    this.#rate = rate
    this.wake = wake
  }

  /** Returns true if it may go on now, a little. If not, `wake` is called when it is its turn. */
  mayGoOn(): boolean {
    return this.#rate.mayGoOn(this)
  }

  /** Resolves when it may go on, or the signal aborts: it has left then. */
  async turn(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.mayGoOn()) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const wake = () => resolve()
      this.wake = wake
      signal.addEventListener('abort', wake, { once: true })
      await promise
      signal.removeEventListener('abort', wake)
    }
    if (signal.aborted) this.leave()
  }

  take(name: Name, count: number): void {
    this.#rate.take(this, name, count)
  }

  /** There is nothing more to wait for. */
  leave(): void {
    this.#rate.leave(this)
  }
}
