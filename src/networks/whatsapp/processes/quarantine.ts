/** Times that a process may fall while it serves an instance before the instance is put apart. */
const tolerated = 1

/** For how long it first waits before it is tried alone, in milliseconds; with each further fall twice as long, up to the longest. */
const firstPause = 5_000
const longestPause = 30 * 60_000

/** After how long without another fall nothing is held against it, in milliseconds. */
const forgottenAfter = 60 * 60_000

/** Instances that are remembered: those whose falls are furthest back are forgotten first. */
const remembered = 10_000

interface Falls {
  readonly count: number
  readonly last: number
}

/** Instances that are put apart, because processes fell more than once while they served them. */
export class Quarantine {
  readonly #now: () => number
  readonly #falls = new Map<string, Falls>()

  /** `now`: a monotonic clock, in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** A process fell while it served this instance. */
  fell(instance: string): void {
    const count = (this.#of(instance)?.count ?? 0) + 1
    this.#falls.delete(instance)
    this.#falls.set(instance, { count, last: this.#now() })
    for (const oldest of this.#falls.keys()) {
      if (this.#falls.size <= remembered) break
      this.#falls.delete(oldest)
    }
  }

  /** True if it may only have a process of its own. */
  holds(instance: string): boolean {
    return (this.#of(instance)?.count ?? 0) > tolerated
  }

  /** Returns the milliseconds that it must wait before it is tried again. */
  pause(instance: string): number {
    const falls = this.#of(instance)
    if (!falls || falls.count <= tolerated) return 0
    const whole = Math.min(longestPause, firstPause * 2 ** Math.min(falls.count - tolerated - 1, 20))
    return Math.max(0, falls.last + whole - this.#now())
  }

  #of(instance: string): Falls | undefined {
    const falls = this.#falls.get(instance)
    if (!falls || this.#now() - falls.last < forgottenAfter) return falls
    this.#falls.delete(instance)
    return undefined
  }
}
