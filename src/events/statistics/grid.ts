import type { Span } from '../../store/tables/statistics.ts'
import { lengthOf, startOf } from './interval.ts'

/** The intervals of an answer, and the stored ones that each of them is the sum of. */
export interface Grid {
  readonly span: Span
  /** When the first interval begins and the last one ends. */
  readonly from: number
  readonly to: number
  /** The beginning of the interval that each stored one belongs to, by the beginning of that, in order. */
  readonly intervals: ReadonlyMap<number, number>
}

/** A range of time as it is asked for. */
export interface AskedRange {
  readonly span: Span
  readonly from: number
  readonly to: number
  /** The time zone whose days are meant. */
  readonly zone: Temporal.ZonedDateTime['timeZoneId'] | undefined
}

/** Number of stored intervals that an answer is made of; to be known before they are listed. */
export function countOf(asked: AskedRange): number {
  const { span, from, to } = boundsOf(asked)
  return (to - from) / lengthOf[span]
}

/** Lists the intervals of a range that is not too long. */
export function gridOf(asked: AskedRange): Grid {
  const { span, from, to } = boundsOf(asked)
  const starts = Array.from(
    { length: (to - from) / lengthOf[span] },
    (_, index) => from + index * lengthOf[span],
  )
  const days = asked.zone === undefined || asked.span !== 'day' ? undefined : daysOf(from, to, asked.zone)
  let day = 0
  const intervals = starts.map((start) => {
    while (days && start >= (days[day + 1] ?? Number.POSITIVE_INFINITY)) day++
    return [start, days?.[day] ?? start] as const
  })
  return { span, from, to, intervals: new Map(intervals) }
}

/** Days of a time zone are made of hours: the first one begins at its midnight, and the last one ends with the hour of the end. */
function boundsOf({ span, from, to, zone }: AskedRange): Omit<Grid, 'intervals'> {
  if (span !== 'day' || zone === undefined)
    return { span, from: startOf(span, from), to: startOf(span, to - 1) + lengthOf[span] }
  return { span: 'hour', from: midnightAt(from, zone), to: startOf('hour', to - 1) + lengthOf.hour }
}

/** Returns when the day begins that a moment is in: with the first hour of UTC from its midnight on, because hours are what is counted. */
function midnightAt(moment: number, zone: string): number {
  const midnight = dayOf(moment, zone).epochMilliseconds
  const first = hourFrom(midnight)
  // Between its midnight and the first hour of UTC, the day has not begun yet.
  return first > moment ? hourFrom(dayOf(midnight - 1, zone).epochMilliseconds) : first
}

/** Returns when all days of a time zone begin that are in a range. */
function daysOf(from: number, to: number, zone: string): number[] {
  const days: number[] = []
  for (
    let day = dayOf(from, zone);
    hourFrom(day.epochMilliseconds) < to;
    day = day.add({ days: 1 }).startOfDay()
  )
    days.push(hourFrom(day.epochMilliseconds))
  return days
}

const dayOf = (moment: number, zone: string) =>
  Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(zone).startOfDay()

const hourFrom = (moment: number) => Math.ceil(moment / lengthOf.hour) * lengthOf.hour

/** True if this is the name of a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name)
    return true
  } catch {
    return false
  }
}
