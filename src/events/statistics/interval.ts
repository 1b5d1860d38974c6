import type { Span } from '../../store/tables/statistics.ts'

/** Milliseconds of each interval: minutes, hours and days of UTC. */
export const lengthOf: Readonly<Record<Span, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }

/** Returns when the interval began that a moment is in. */
export function startOf(span: Span, at: number): number {
  return at - (at % lengthOf[span])
}

/** Subtracted from the beginning of a minute where it is stored. */
const shift = 1_000_000_000_000_000

/**
 * Returns the beginning of an interval as it is stored. Minutes are kept for hours, and everything else for a year; by age,
 * all minutes stand before everything else, so one index finds what is over of both.
 */
export function storedStart(span: Span, at: number): number {
  return span === 'minute' ? at - shift : at
}

/** Returns when an interval began that is stored. */
export function startOfStored(span: Span, stored: number): number {
  return span === 'minute' ? stored + shift : stored
}
