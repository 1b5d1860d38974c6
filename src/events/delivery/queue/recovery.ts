/** When a receiver that fails is first asked whether it is back, and how long until it is asked again at most, in milliseconds. */
const firstProbe = 5_000
const longestPause = 60_000
/** When attempts that found no capacity are wanted again, in milliseconds. */
const again = 1_000

const never = Number.POSITIVE_INFINITY

/** Attempts that may be made before their time, at deliveries of an ordered webhook that wait. */
export interface EarlyAttempts {
  readonly webhook: string
  /** The `seq` of the last one that was attempted so. */
  readonly after: number
  /** True if one is enough, because it is not known yet that the receiver is back. */
  readonly isProbe: boolean
}

/**
 * Finds out that the receiver of an ordered webhook is back, though all of its lanes wait for their next attempt, which may be
 * hours away. While it fails, one delivery after another is attempted before its time: a probe. Once anything arrived, each lane
 * that waits is attempted once. An early attempt that fails changes nothing in the store, so the schedule of its delivery stays as
 * it is, and an event that the receiver never takes is given up when it would have been anyway. Times are monotonic milliseconds.
 */
export class Recovery {
  /** True if the next arrival shows that the receiver is back. */
  #isFailing = false
  /** The lanes that wait are being attempted, as something arrived. */
  #isBack = false
  /** Number of pauses that ended in a failure since the last attempt that arrived. */
  #failures = 0
  #at = never
  #after = 0

  /**
   * An attempt failed. `asked`: for how long the receiver wants to be left alone, in milliseconds. An early one that fails at a
   * healthy receiver is about its event (`isFailing` is false).
   */
  failed(now: number, { asked, isFailing }: { readonly asked: number; readonly isFailing: boolean }): void {
    if (isFailing) {
      this.#isFailing = true
      this.#isBack = false
    }
    const left = this.#at === never ? 0 : this.#at - now
    // Attempts that fail at the same time, in other lanes, count as one failure.
    const pause = left > 0 ? left : Math.min(longestPause, firstProbe * 2 ** Math.min(this.#failures++, 10))
    this.#at = now + Math.max(pause, asked)
  }

  /** `wasFailing`: the receiver was, as far as the attempt knew. */
  arrived(wasFailing: boolean): void {
    if (this.#isFailing || wasFailing) {
      this.#isBack = true
      this.#after = 0
    }
    this.#isFailing = false
    this.#failures = 0
    this.#at = never
  }

  /** Its lanes wait, and it failed: if nothing is known of that, in an earlier life of the server. */
  sleeps(now: number): void {
    if (this.#isBack || this.#at !== never) return
    this.#isFailing = true
    this.#at = now + firstProbe
  }

  /** When to look again; infinity if there is no need. */
  get nextAt(): number {
    return this.#at
  }

  /** Returns the attempts that may be made early now. */
  early(webhook: string, now: number): EarlyAttempts[] {
    if (!this.#isBack && this.#at > now) return []
    return [{ webhook, after: this.#after, isProbe: !this.#isBack }]
  }

  /**
   * Early attempts begin, up to this delivery; null if there is no capacity for any. `isOver`: no delivery waits after it. The
   * next probe is due when this one is over.
   */
  begun(last: number | null, isOver: boolean, now: number): void {
    if (last === null) {
      this.#at = now + again
      return
    }
    this.#after = last
    this.#at = never
    if (isOver) this.#isBack = false
  }
}
