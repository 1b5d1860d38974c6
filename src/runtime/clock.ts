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
  return at === null ? null : new Date(Math.min(Math.max(at || 0, 0), lastMoment)).toISOString()
}

/** The moment that an RFC 3339 time names, in milliseconds since the epoch. A leap second is the one after it. */
export function momentOf(written: string): number {
  return Date.parse(written.replace(/:60(?=[.Z+-])/i, ':59')) + (/:60[.Z+-]/i.test(written) ? 1_000 : 0)
}
