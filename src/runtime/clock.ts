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

/** Milliseconds since the epoch as RFC 3339 in UTC, or null if there is none yet. */
export function timestamp(at: number): string
export function timestamp(at: number | null): string | null
export function timestamp(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
