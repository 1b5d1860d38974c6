/** The only source of time. Wall time dates facts; monotonic time measures durations. Both in milliseconds. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds since some fixed moment; never jumps. */
  monotonic(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
}

/** The last moment that RFC 3339 can write, in milliseconds since the epoch. */
const lastMoment = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** Returns true if this is a moment after the epoch, in milliseconds, that RFC 3339 can write. */
export function isMoment(at: number): boolean {
  return at > 0 && at <= lastMoment
}

/** Milliseconds since the epoch as RFC 3339 in UTC, or null if there is none yet. What it cannot write is the nearest that it can. */
export function timestamp(at: number): string
export function timestamp(at: number | null): string | null
export function timestamp(at: number | null): string | null {
  if (at === null) return null
  const moment = Math.trunc(Math.min(Math.max(at || 0, 0), lastMoment))
  const second = Math.floor(moment / 1000)
  return `${writtenSecond(second)}.${String(moment - second * 1000).padStart(3, '0')}Z`
}

/** Seconds that were written lately: writing one anew takes five times as long, and the messages of a moment share theirs. */
const writtenSeconds = new Map<number, string>()
const maxWrittenSeconds = 100

function writtenSecond(second: number): string {
  const known = writtenSeconds.get(second)
  if (known !== undefined) return known
  if (writtenSeconds.size === maxWrittenSeconds) writtenSeconds.clear()
  const written = new Date(second * 1000).toISOString().slice(0, 19)
  writtenSeconds.set(second, written)
  return written
}

/** The moment that an RFC 3339 time names, in milliseconds since the epoch. A leap second is the one after it. */
export function momentOf(written: string): number {
  return Date.parse(written.replace(/:60(?=[.Z+-])/i, ':59')) + (/:60[.Z+-]/i.test(written) ? 1_000 : 0)
}
