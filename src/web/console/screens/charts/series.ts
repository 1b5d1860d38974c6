import type { MessageStatus } from '../../../../contract/statuses.ts'
import { say } from '../../words/say.ts'
import { type Interval, isUnknown, type Period, type Statistics } from './periods.ts'

/** A line or the bars of a chart, over the same intervals. */
export interface Series {
  readonly label: string
  readonly values: readonly (number | null)[]
  /** The custom property of the style with its colour. */
  readonly color: string
  readonly look: 'bars' | 'line' | 'area'
  readonly dash?: readonly number[]
  /** Numbers that are said of it, if they are not its heights: a bar begins where the one below it ends. */
  readonly told?: readonly (number | null)[]
  /** The status of the messages that it counts, if they have one in common. */
  readonly status?: MessageStatus
}

/** Messages that went out and did not arrive, besides those that failed. */
export const lostOf = ({ expired, unknown }: Pick<Interval, 'expired' | 'unknown'>) => expired + unknown
const leftOf = ({ sent, delivered, read }: Interval) => Math.max(sent, delivered, read)
export const endedOf = (interval: Interval) => leftOf(interval) + lostOf(interval) + interval.failed

/**
 * The bars of what became of messages: each is drawn over the ones before it, from the base on, so what failed stands on top
 * of what was sent, and what was delivered and read is a part of it.
 */
export function messageSeries(
  statistics: Statistics,
  before: Statistics | undefined,
  period: Period,
): Series[] {
  const pick = picker(statistics)
  const bars = (label: string, color: string, height: (one: Interval) => number, told = height): Series => {
    return { label, color, look: 'bars', values: pick(height), told: pick(told) }
  }
  const own = (status: 'sent' | 'delivered' | 'read'): Series => {
    return { ...bars(say(`charts.${status}`), `--chart-${status}`, (one) => one[status]), status }
  }
  const hasLost = statistics.data.some((one) => lostOf(one) > 0)
  return [
    { ...bars(say('charts.failed'), '--chart-failed', endedOf, ({ failed }) => failed), status: 'failed' },
    ...(hasLost
      ? [bars(say('charts.lost'), '--chart-lost', (one) => leftOf(one) + lostOf(one), lostOf)]
      : []),
    own('sent'),
    own('delivered'),
    own('read'),
    {
      label: say('charts.received'),
      color: '--chart-received',
      look: 'line',
      values: pick(({ received }) => received),
    },
    ...(before ? [beforeSeries(before, statistics.data.length, period)] : []),
  ]
}

function beforeSeries(before: Statistics, length: number, period: Period): Series {
  const values = picker(before)(endedOf)
  return {
    label: say(`charts.before.${period}`),
    color: '--chart-before',
    look: 'line',
    dash: [3, 4],
    values: Array.from({ length }, (_, at) => values[at] ?? null),
  }
}

export function queueSeries(statistics: Statistics): Series[] {
  const values = picker(statistics)(({ queue_depth }) => queue_depth)
  return [{ label: say('charts.waiting'), color: '--chart-received', look: 'area', values }]
}

export function latencySeries(statistics: Statistics, name: LatencyName): Series[] {
  const pick = picker(statistics)
  return [
    {
      label: say('charts.p50'),
      color: '--chart-received',
      look: 'area',
      values: pick((one) => one[name].p50_seconds),
    },
    {
      label: say('charts.p95'),
      color: '--chart-before',
      look: 'line',
      dash: [8, 4],
      values: pick((one) => one[name].p95_seconds),
    },
  ]
}

export type LatencyName = 'to_sent' | 'to_delivered'

/** The latency that is shown: until the messages were delivered, if the network told of any. */
export function latencyShown({ totals }: Statistics): LatencyName {
  return totals.to_delivered.count > 0 ? 'to_delivered' : 'to_sent'
}

/** Returns a function that takes a value of each interval; null for those of which nothing is known. */
function picker(statistics: Statistics) {
  return (value: (interval: Interval) => number | null) =>
    statistics.data.map((interval, at) => (isUnknown(statistics, at) ? null : value(interval)))
}
