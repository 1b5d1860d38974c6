import type { Alarms } from '../../src/runtime/alarms.ts'
import type { Clock } from '../../src/runtime/clock.ts'

/** A time that passes only when a test says so, with alarms that ring in order. */
export class FakeTime {
  #now = 0
  readonly #set: { at: number; ring: () => void }[] = []

  readonly clock: Clock = { now: () => this.#now, monotonic: () => this.#now }

  readonly alarms: Pick<Alarms, 'in'> = {
    in: (delay, ring) => {
      const entry = { at: this.#now + Math.max(0, delay), ring }
      this.#set.push(entry)
      return {
        cancel: () => {
          const place = this.#set.indexOf(entry)
          if (place >= 0) this.#set.splice(place, 1)
        },
      }
    },
  }

  get now(): number {
    return this.#now
  }

  /** How many alarms are set. */
  get waiting(): number {
    return this.#set.length
  }

  /** Lets time pass and every alarm ring at its moment, also those that are set meanwhile. */
  pass(milliseconds: number): void {
    const end = this.#now + milliseconds
    for (;;) {
      const next = this.#set.toSorted((a, b) => a.at - b.at)[0]
      if (!next || next.at > end) break
      this.#set.splice(this.#set.indexOf(next), 1)
      this.#now = Math.max(this.#now, next.at)
      next.ring()
    }
    this.#now = end
  }
}
