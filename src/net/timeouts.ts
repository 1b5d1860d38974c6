import type { Clock } from '../runtime/clock.ts'
import type { Alarm, Alarms } from '../runtime/timers/alarms.ts'
import { failureFrom, NetFailure } from './failure.ts'

/** Milliseconds that a server may take for each step. */
export const stepLimits = {
  /** For the connection with its encryption. */
  connect: 5_000,
  headers: 10_000,
  /** Until the next bytes of the body. */
  stall: 10_000,
  /** For reading the beginning of a body when only the status counts. */
  beginning: 2_000,
} as const

const usualSlowest = 1_024

/** The clock and timers of a fetch or post, and the pace of its body. */
export interface Time {
  readonly clock: Clock
  readonly alarms: Pick<Alarms, 'in'>
  /** Bytes a second that must come while a body is waited for, on an average over the time of `stall`. */
  readonly slowest?: number
}

/** The longest transfer of one file, in milliseconds. */
export const maxTransferTime = 600_000

/** Milliseconds for everything; or a base for everything, and for each byte that came its time at the slowest pace, up to `max`. */
export type TotalTime = number | { readonly base: number; readonly max: number }

type Step = keyof typeof stepLimits

const noAlarm: Alarm = { cancel() {} }

/** Milliseconds that each step may take; `Infinity` if only the total counts. */
export type StepLimits = Readonly<Record<Step, number>>

/**
 * The times of one fetch or post: `total` for everything, and for each step its own, by default `stepLimits`. `signal`
 * aborts when the caller's signal does, when the whole takes too long, or when the current step does. The fetch then fails
 * with the reason of the signal.
 */
export class Timeouts {
  readonly signal: AbortSignal
  readonly #time: Time
  readonly #limits: StepLimits
  readonly #ending = new AbortController()
  readonly #caller: AbortSignal
  readonly #began: number
  #whole: Alarm
  #waited = 0
  /** The bytes of a body that came since its pace was last judged, and in all. */
  #received = 0
  #receivedInAll = 0

  constructor(time: Time, total: TotalTime, caller: AbortSignal, limits: StepLimits = stepLimits) {
    this.#time = time
    this.#limits = limits
    this.#caller = caller
    this.signal = this.#ending.signal
    // A signal made of both would take a multiple of this listener, in every poll that waits.
    if (caller.aborted) this.#abort()
    else caller.addEventListener('abort', this.#abort, { once: true })
    this.#began = time.clock.monotonic()
    const { base, max } = typeof total === 'number' ? { base: total, max: total } : total
    this.#whole = this.#in(base, () => this.#endUnlessBytesCame(base, max))
  }

  /** Calls `ring` when a step takes too long, unless the alarm is cancelled before. */
  alarm(step: Step, ring: () => void): Alarm {
    return this.#in(this.#limits[step], ring)
  }

  /** Ends the fetch with this sentence if a step takes too long, unless the alarm is cancelled before. */
  endAfter(step: Step, sentence: string = usualSentence(step)): Alarm {
    return this.alarm(step, () => this.#end(sentence))
  }

  /** Waits for a step, and ends the fetch if it takes too long. */
  async during<T>(step: Step, work: Promise<T>, sentence?: string): Promise<T> {
    const alarm = this.endAfter(step, sentence)
    try {
      return await work
    } finally {
      alarm.cancel()
    }
  }

  /**
   * Waits for the next bytes of a body; `sizeOf` says how many came. Only the waiting counts: a reader who takes its time is
   * no slow server.
   */
  async forBytes<T>(next: Promise<T>, sizeOf: (came: T) => number): Promise<T> {
    const began = this.#time.clock.monotonic()
    const came = await this.during('stall', next)
    this.#waited += this.#time.clock.monotonic() - began
    const size = sizeOf(came)
    this.#received += size
    this.#receivedInAll += size
    if (this.#waited < this.#limits.stall) return came
    if (this.#received < (this.#waited / 1_000) * this.#slowest) throw tooSlow('the server sends too slowly')
    this.#waited = 0
    this.#received = 0
    return came
  }

  /** The error of a fetch if something threw: the reason why it was ended takes precedence over its consequences. */
  failureFrom(caught: unknown): Error {
    return this.signal.aborted ? this.signal.reason : failureFrom(caught)
  }

  /** Ends the fetch, and everything that it still holds open. */
  end(): void {
    this.#whole.cancel()
    this.#caller.removeEventListener('abort', this.#abort)
    this.#ending.abort()
  }

  /** The time for everything is over, unless the bytes that came since it was set give it more. */
  #endUnlessBytesCame(base: number, max: number): void {
    const total = Math.min(max, base + (this.#receivedInAll / this.#slowest) * 1_000)
    const left = this.#began + total - this.#time.clock.monotonic()
    if (left > 0) this.#whole = this.#in(left, () => this.#endUnlessBytesCame(base, max))
    else this.#end('the server took too long in total')
  }

  #in(time: number, ring: () => void): Alarm {
    return time === Number.POSITIVE_INFINITY ? noAlarm : this.#time.alarms.in(time, ring)
  }

  get #slowest(): number {
    return this.#time.slowest ?? usualSlowest
  }

  readonly #abort = (): void => this.#ending.abort(this.#caller.reason)

  #end(sentence: string): void {
    this.#ending.abort(tooSlow(sentence))
  }
}

function usualSentence(step: Step): string {
  return step === 'stall' ? 'the server stopped sending' : 'the server took too long to respond'
}

function tooSlow(sentence: string): NetFailure {
  return new NetFailure('timeout', false, sentence)
}
