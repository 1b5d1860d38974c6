import { TokenBucket, type TokenRate } from './token-bucket.ts'

/** The rates that the members of one party share, by name; undefined for no limit. */
export type SharedRates<Name extends string> = Readonly<Record<Name, TokenRate | undefined>>

/** One of those who share. */
export interface RateMember<Name extends string> {
  /** Whether it may go on now, a little. If not, `wake` is called when it is its turn. */
  mayGoOn(): boolean
  take(name: Name, count: number): void
  /** There is nothing more to wait for. */
  leave(): void
}

/** A member that waits for its turn in a promise. */
export interface PatientMember<Name extends string> extends RateMember<Name> {
  /** Resolves when it may go on, or the signal aborts. */
  turn(signal: AbortSignal): Promise<void>
}

export function patient<Name extends string>(
  join: (wake: () => void) => RateMember<Name>,
): PatientMember<Name> {
  let wake = () => {}
  const member = join(() => wake())
  const turn = async (signal: AbortSignal) => {
    while (!signal.aborted && !member.mayGoOn()) {
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      signal.addEventListener('abort', wake, { once: true })
      await promise
      signal.removeEventListener('abort', wake)
    }
    if (signal.aborted) member.leave()
  }
  return {
    turn,
    mayGoOn: () => member.mayGoOn(),
    take: (name, count) => member.take(name, count),
    leave: () => member.leave(),
  }
}

/** How long is waited before it is looked again, in milliseconds: time may pass more slowly than timers say. */
const shortest = 1

/**
 * Token buckets that the members of one party share. While something is owed, the members take turns, and whoever will have taken
 * least goes first: one who takes little waits for no more than what another takes in one turn, however many others there are, and
 * however much they want. (This is fair queueing by finish times; what a turn takes is assumed to be what the last one took.)
 */
export class FairRate<Name extends string> {
  readonly #buckets: ReadonlyMap<Name, { readonly bucket: TokenBucket; readonly each: number }>
  readonly #onReached: (name: Name) => void
  readonly #waiting = new Set<Member<Name>>()
  /** How much the last member to be served had taken then, in milliseconds of the rate: who comes now has not saved up turns. */
  #served = 0
  #timer: NodeJS.Timeout | null = null

  /** `onReached` is called with the name of the rate when members begin to wait. */
  constructor(rates: SharedRates<Name>, onReached: (name: Name) => void = () => {}) {
    const now = performance.now()
    this.#onReached = onReached
    this.#buckets = new Map(
      (Object.entries(rates) as [Name, TokenRate | undefined][]).flatMap(([name, rate]) =>
        rate
          ? [
              [
                name,
                { bucket: new TokenBucket(rate, now), each: (rate.seconds * 1000) / rate.count },
              ] as const,
            ]
          : [],
      ),
    )
  }

  join(wake: () => void): RateMember<Name> {
    const member: Member<Name> = {
      wake,
      taken: 0,
      lastTurn: 0,
      isNext: false,
      mayGoOn: () => this.#mayGoOn(member),
      take: (name, count) => this.#take(member, name, count),
      leave: () => {
        this.#waiting.delete(member)
      },
    }
    return member
  }

  #take(member: Member<Name>, name: Name, count: number): void {
    const limited = this.#buckets.get(name)
    if (!limited) return
    limited.bucket.take(count)
    const time = count * limited.each
    member.taken = Math.max(member.taken, this.#served) + time
    member.lastTurn += time
  }

  #mayGoOn(member: Member<Name>): boolean {
    const { wait, name } = this.#owed()
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

  #leastWaiting(): Member<Name> | undefined {
    let least: Member<Name> | undefined
    let lowest = Number.POSITIVE_INFINITY
    for (const member of this.#waiting) {
      const after = Math.max(member.taken, this.#served) + member.lastTurn
      if (after < lowest) [least, lowest] = [member, after]
    }
    return least
  }

  /** How long until nothing is owed, in milliseconds, and for which rate. */
  #owed(): { readonly wait: number; readonly name: Name | undefined } {
    const now = performance.now()
    let longest: { wait: number; name: Name | undefined } = { wait: 0, name: undefined }
    for (const [name, { bucket }] of this.#buckets) {
      const wait = bucket.wait(now)
      if (wait > longest.wait) longest = { wait, name }
    }
    return longest
  }

  #serveIn(wait: number): void {
    this.#timer ??= setTimeout(
      () => {
        this.#timer = null
        this.#serve()
      },
      Math.max(wait, shortest),
    )
  }

  /** Lets those go on who took least, until something is owed again: each goes on at once, or in its turn at the thread. */
  #serve(): void {
    const { wait } = this.#owed()
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
    // What it takes counts before the next one is served.
    if (this.#waiting.size > 0) setImmediate(() => setImmediate(() => this.#timer ?? this.#serve()))
  }
}

interface Member<Name extends string> extends RateMember<Name> {
  readonly wake: () => void
  /** How much it took, in milliseconds of the rate, or what others had taken when it came; and how much of that in its last turn. */
  taken: number
  lastTurn: number
  /** It is its turn. */
  isNext: boolean
}
