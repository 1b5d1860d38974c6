import type { Clock } from './clock.ts'

/** An alarm that can be taken back. */
export interface Alarm {
  cancel(): void
}

/** An alarm as it stands in the heap. */
class Entry implements Alarm {
  readonly at: number
  ring: (() => void) | undefined
  readonly #cancelled: () => void

  /** `cancelled` is called when it is taken back before its time. */
  constructor(at: number, ring: () => void, cancelled: () => void) {
    this.at = at
    this.ring = ring
    this.#cancelled = cancelled
  }

  cancel(): void {
    if (!this.ring) return
    this.ring = undefined
    this.#cancelled()
  }
}

/**
 * All deadlines of the process on one timer: a binary heap by time, so that ten thousand instances cost ten thousand
 * small entries and no timers. Cancelled entries stay in the heap until their time or until they outnumber the others.
 */
export class Alarms {
  readonly #clock: Clock
  #heap: Entry[] = []
  #cancelled = 0
  #timer: NodeJS.Timeout | undefined
  #timerAt = Number.POSITIVE_INFINITY
  #stopped = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Calls `ring` once, `delay` milliseconds from now at the earliest, unless the alarms were stopped. */
  in(delay: number, ring: () => void): Alarm {
    if (this.#stopped) return { cancel: () => {} }
    const at = this.#clock.monotonic() + Math.max(0, delay)
    const entry = new Entry(at, ring, this.#countCancelled)
    this.#push(entry)
    this.#arm()
    return entry
  }

  /** Forgets every alarm, and takes no further one: what ends now must not keep the process alive by trying again. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#timerAt = Number.POSITIVE_INFINITY
    this.#heap = []
    this.#cancelled = 0
  }

  #arm(): void {
    const next = this.#heap[0]
    if (!next || next.at >= this.#timerAt) return
    clearTimeout(this.#timer)
    this.#timerAt = next.at
    // A timer of Node's lasts at most 2^31-1 ms; a later alarm is simply looked at again then.
    const delay = Math.min(Math.max(0, Math.ceil(next.at - this.#clock.monotonic())), 2 ** 31 - 1)
    this.#timer = setTimeout(() => this.#ring(), delay)
  }

  #ring(): void {
    this.#timerAt = Number.POSITIVE_INFINITY
    const now = this.#clock.monotonic()
    for (let next = this.#heap[0]; next && next.at <= now; next = this.#heap[0]) {
      this.#pop()
      const ring = next.ring
      next.ring = undefined
      if (ring) ring()
      else this.#cancelled--
    }
    this.#arm()
  }

  readonly #countCancelled = (): void => {
    this.#cancelled++
    if (this.#cancelled > 64 && this.#cancelled > this.#heap.length / 2) this.#sweep()
  }

  #sweep(): void {
    const kept = this.#heap.filter((entry) => entry.ring)
    this.#heap = []
    this.#cancelled = 0
    for (const entry of kept) this.#push(entry)
  }

  #push(entry: Entry): void {
    const heap = this.#heap
    let index = heap.push(entry) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      const above = heap[parent] as Entry
      if (above.at <= entry.at) break
      heap[index] = above
      index = parent
    }
    heap[index] = entry
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop() as Entry
    if (heap.length === 0) return
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && (heap[child + 1] as Entry).at < (heap[child] as Entry).at) child++
      if ((heap[child] as Entry).at >= last.at) break
      heap[index] = heap[child] as Entry
      index = child
    }
    heap[index] = last
  }
}
