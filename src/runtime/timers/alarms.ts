import type { Clock } from '../clock.ts'
import { AlarmHeap, type HeapEntry } from './alarm-heap.ts'

/** An alarm that can be taken back. */
export interface Alarm {
  cancel(): void
}

/** Called when the wall clock was set: by how many milliseconds, which are negative if it was set back. */
export type ClockListener = (by: number) => void

/** While an alarm is set, the clocks are looked at this often at least, in milliseconds. */
const lookEvery = 1_000
/** Milliseconds by which the wall clock may step without a report: such steps are mere corrections. */
const clockTolerance = 1_000
/** A timer that is this late was held up, as the whole process was, in milliseconds. */
const lateAfter = 250
/** Milliseconds that alarms wait at most after the process was held up. */
const longestGrace = 500
/** Times in a row that they wait: a machine that is always late has deadlines, too. */
const maxGraces = 4

/**
 * All deadlines of the process on one timer.
 *
 * If the process was held up (its event loop was blocked, or the process or the whole machine was paused), responses may
 * wait in sockets, and deadlines may be over although the other side met them. So what came in is read first: alarms ring a
 * moment later.
 *
 * The wall clock may be set. Durations are measured with the monotonic clock; what waits for a moment of the wall clock is
 * looked at again within a second.
 */
export class Alarms {
  readonly #clock: Clock
  /** By the monotonic clock. */
  readonly #durations = new AlarmHeap()
  /** By the wall clock. */
  readonly #moments = new AlarmHeap()
  readonly #clockListeners = new Set<ClockListener>()
  #timer: NodeJS.Timeout | undefined
  #timerAt = Number.POSITIVE_INFINITY
  #graces = 0
  #offset: number
  #stopped = false

  constructor(clock: Clock) {
    this.#clock = clock
    this.#offset = this.#offsetNow()
  }

  /** Calls `ring` once, `delay` milliseconds from now at the earliest, unless the alarms were stopped. */
  in(delay: number, ring: () => void): Alarm {
    if (this.#stopped) return { cancel: () => {} }
    const entry: HeapEntry = { at: this.#clock.monotonic() + Math.max(0, delay), ring }
    this.#durations.add(entry)
    this.#arm()
    return { cancel: () => this.#durations.cancel(entry) }
  }

  /**
   * Calls `ring` once: when the wall clock shows this moment, in milliseconds since the epoch, or when as much time has
   * passed as was left until then. The latter is first if the clock is set back, so a caller that waits for the moment
   * itself looks again.
   */
  at(moment: number, ring: () => void): Alarm {
    if (this.#stopped) return { cancel: () => {} }
    const entry: HeapEntry = { at: moment, ring: undefined }
    const atLatest = this.in(moment - this.#clock.now(), () => {
      this.#moments.cancel(entry)
      ring()
    })
    entry.ring = () => {
      atLatest.cancel()
      ring()
    }
    this.#moments.add(entry)
    return {
      cancel: () => {
        this.#moments.cancel(entry)
        atLatest.cancel()
      },
    }
  }

  /** Calls `listener` within a second after the wall clock was set, while any alarm is set. */
  onClockSet(listener: ClockListener): void {
    this.#clockListeners.add(listener)
  }

  /** Forgets every alarm, and takes no further one: what ends now must not keep the process alive by trying again. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#timerAt = Number.POSITIVE_INFINITY
    this.#durations.clear()
    this.#moments.clear()
    this.#clockListeners.clear()
  }

  #arm(): void {
    const { next } = this.#durations
    // While alarms wait for what came in, none makes them ring sooner.
    if (next === Number.POSITIVE_INFINITY || this.#graces > 0) return
    const now = this.#clock.monotonic()
    this.#armAt(Math.min(Math.max(next, now), now + lookEvery))
  }

  #armAt(at: number): void {
    if (at >= this.#timerAt) return
    clearTimeout(this.#timer)
    this.#timerAt = at
    // On a busy machine, the time may have come by now.
    const left = Math.max(0, Math.ceil(at - this.#clock.monotonic()))
    this.#timer = setTimeout(() => this.#look(), left)
  }

  #look(): void {
    const now = this.#clock.monotonic()
    const late = now - this.#timerAt
    this.#timerAt = Number.POSITIVE_INFINITY
    if (late > lateAfter && this.#graces < maxGraces) {
      this.#graces++
      this.#armAt(now + Math.min(late, longestGrace))
      return
    }
    this.#graces = 0
    this.#lookAtClock()
    this.#durations.ringUntil(now)
    this.#moments.ringUntil(this.#clock.now())
    this.#arm()
  }

  #lookAtClock(): void {
    const offset = this.#offsetNow()
    const by = offset - this.#offset
    if (Math.abs(by) <= clockTolerance) return
    this.#offset = offset
    for (const listener of this.#clockListeners) listener(by)
  }

  #offsetNow(): number {
    return this.#clock.now() - this.#clock.monotonic()
  }
}
