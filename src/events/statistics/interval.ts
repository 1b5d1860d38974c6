import type { Span } from '../../store/tables/statistics.ts'

/** Milliseconds of each interval: hours and days of UTC. */
export const lengthOf: Readonly<Record<Span, number>> = { hour: 3_600_000, day: 86_400_000 }

/** When the interval began that a moment is in. */
export function startOf(span: Span, at: number): number {
  return at - (at % lengthOf[span])
}
