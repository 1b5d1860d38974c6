import type { Answer, Request } from '../../core/operations.ts'

export type Statistics = Answer<'getStatistics'>
export type Interval = Statistics['data'][number]

/** The periods to choose from: what is counted together, and how many of those. */
export const periods = {
  hour_1: { interval: 'minute', count: 60 },
  hour_24: { interval: 'hour', count: 24 },
  day_7: { interval: 'day', count: 7 },
  day_30: { interval: 'day', count: 30 },
  day_365: { interval: 'day', count: 365 },
} as const
export type Period = keyof typeof periods
export const periodNames = Object.keys(periods) as Period[]

export const lengthOf = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const

interface Asked {
  readonly period: Period
  readonly instance: string | undefined
  /** The moment up to which is asked for, in milliseconds. */
  readonly now: number
}

/** Asks for a period up to now, or for the one before it, as far as it had come by then; null if that is not kept. */
export function requestFor(
  { period, instance, now }: Asked,
  isBefore = false,
): Request<'getStatistics'> | null {
  const { interval, count } = periods[period]
  const more = instance ? { instance } : {}
  if (period === 'day_365') {
    // A year has more hours than one answer, so its days are those of UTC; and no more than this year is kept.
    if (isBefore) return null
    const from = startOf(now, lengthOf.day) - (count - 1) * lengthOf.day
    return { query: { interval, from: text(from), ...more } }
  }
  if (interval === 'day') {
    const from = text(localMidnight(now, isBefore ? 2 * count - 1 : count - 1))
    const to = isBefore ? { to: text(sameTime(now, count)) } : {}
    const { timeZone: time_zone } = new Intl.DateTimeFormat().resolvedOptions()
    return { query: { interval, time_zone, from, ...to, ...more } }
  }
  const from = startOf(now, lengthOf[interval]) - (count - 1) * lengthOf[interval]
  if (!isBefore) return { query: { interval, from: text(from), ...more } }
  return {
    query: { interval, from: text(from - count * lengthOf[interval]), to: text(from), ...more },
  }
}

const text = (at: number) => new Date(at).toISOString()
const startOf = (at: number, length: number) => at - (at % length)

/** Returns when a day began in the time zone of the browser, some days ago. */
function localMidnight(now: number, days: number): number {
  const day = new Date(now)
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() - days).getTime()
}

/** Returns the same time of the day, some days ago, to the hour. */
function sameTime(now: number, days: number): number {
  const then = new Date(startOf(now, lengthOf.hour))
  then.setDate(then.getDate() - days)
  return then.getTime() + 1
}

/** Returns when an interval ends; the last one may end earlier, with the hour that runs. */
export function endOf(statistics: Statistics, index: number): number {
  return Date.parse(statistics.data[index + 1]?.from ?? statistics.to)
}

/** True if nothing of an interval is known, because it ended before anything was counted, or is kept no longer. */
export function isUnknown(statistics: Statistics, index: number): boolean {
  return endOf(statistics, index) <= Date.parse(statistics.counted_from)
}

export const countNames = [
  ...(['accepted', 'sent', 'delivered', 'read', 'failed', 'expired', 'unknown'] as const),
  ...(['canceled', 'received'] as const),
]
export type CountName = (typeof countNames)[number]

/**
 * Returns the change of a count on the period before, as a share; undefined if the two cannot be compared. Only intervals
 * that are over are compared, with as many of those before; those of days end with the same hour.
 */
export function changeOf(
  now: Statistics,
  before: Statistics | undefined,
  count: (interval: Interval) => number,
): number | undefined {
  if (!before || Date.parse(before.counted_from) > Date.parse(before.from)) return undefined
  const length = now.interval === 'day' ? now.data.length : now.data.length - 1
  const sum = ({ data }: Statistics) => data.slice(0, length).reduce((all, each) => all + count(each), 0)
  const then = sum(before)
  return then === 0 ? undefined : sum(now) / then - 1
}
