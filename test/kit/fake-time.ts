import type { Clock } from '../../src/runtime/clock.ts'
import type { Alarms, ClockListener } from '../../src/runtime/timers/alarms.ts'

interface Entry {
  /** On the monotonic clock. */
  readonly at: number
  /** On the wall clock, if it waits for a moment. */
  readonly moment?: number
  readonly ring: () => void
}

/** A time that passes only when a test says so, with alarms that ring in order, and a wall clock that can be set. */
export class FakeTime {
  #now = 0
  /** Milliseconds by which the wall clock is ahead of the monotonic one. */
  #ahead = 0
  readonly #set: Entry[] = []
  readonly #listeners = new Set<ClockListener>()

  readonly clock: Clock = { now: () => this.now, monotonic: () => this.#now }

  readonly alarms: Pick<Alarms, 'in' | 'at' | 'onClockSet'> = {
    in: (delay, ring) => this.#wait({ at: this.#now + Math.max(0, delay), ring }),
    at: (moment, ring) => this.#wait({ at: this.#now + Math.max(0, moment - this.now), moment, ring }),
    onClockSet: (listener) => void this.#listeners.add(listener),
  }

  /** Time of the wall clock. */
  get now(): number {
    return this.#now + this.#ahead
  }

  /** Number of alarms that are set. */
  get waiting(): number {
    return this.#set.length
  }

  /** Sets the wall clock; no time passes. */
  setClock(by: number): void {
    this.#ahead += by
    for (const listener of this.#listeners) listener(by)
  }

  /** Lets time pass and every alarm ring at its moment, also those that are set meanwhile. */
  pass(milliseconds: number): void {
    const end = this.#now + milliseconds
    for (;;) {
      const next = this.#set.toSorted((a, b) => this.#timeOf(a) - this.#timeOf(b))[0]
      if (!next || this.#timeOf(next) > end) break
      this.#set.splice(this.#set.indexOf(next), 1)
      this.#now = Math.max(this.#now, this.#timeOf(next))
      next.ring()
    }
    this.#now = end
  }

  /** Returns the time at which an alarm rings, on the monotonic clock. */
  #timeOf({ at, moment = Number.POSITIVE_INFINITY }: Entry): number {
    return Math.min(at, moment - this.#ahead)
  }

  #wait(entry: Entry) {
    this.#set.push(entry)
    return {
      cancel: () => {
        const place = this.#set.indexOf(entry)
        if (place >= 0) this.#set.splice(place, 1)
      },
    }
  }
}
