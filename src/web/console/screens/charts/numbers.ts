import { h } from 'preact'
import type { MessageStatus } from '../../../../contract/statuses.ts'
import { number } from '../../../browser/numbers.ts'
import { Disclosure } from '../../parts/disclosure.ts'
import { Table } from '../../parts/table.ts'
import { Time } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { intervalLink } from './interval-link.ts'
import { countNames, type Interval, isUnknown, type Statistics } from './periods.ts'
import { latencyShown } from './series.ts'

interface TableProps {
  readonly statistics: Statistics
  /** Empty for all. */
  readonly instance: string
}

/** The numbers of a chart as a table, the newest first: for a person who cannot see it, or wants to know exactly. */
export function NumberTable({ statistics, instance }: TableProps) {
  const { data } = statistics
  const items = data.filter((interval, at) => isBusy(interval) && !isUnknown(statistics, at)).reverse()
  const latency = latencyShown(statistics)
  const linkOf = (interval: Interval, status?: MessageStatus) =>
    intervalLink(statistics, data.indexOf(interval), { instance, status })
  const failed = (interval: Interval) =>
    interval.failed === 0 ? number(0) : h('a', { href: linkOf(interval, 'failed') }, number(interval.failed))
  const shown = countNames.filter((name) => name !== 'unknown' && name !== 'canceled')
  return h(
    Disclosure,
    { title: say('charts.in_numbers') },
    h(Table<Interval>, {
      caption: say('charts.in_numbers'),
      items,
      keyOf: ({ from }) => from,
      columns: [
        {
          title: say('everywhere.time'),
          cell: (each) => h('a', { href: linkOf(each) }, h(Time, { at: each.from })),
        },
        ...shown.map((name) => ({
          title: say(`charts.${name}`),
          cell: (interval: Interval) => (name === 'failed' ? failed(interval) : number(interval[name])),
          isNumber: true,
        })),
        {
          title: say('charts.waiting'),
          cell: ({ queue_depth }) => number(queue_depth),
          isNumber: true,
        },
        {
          title: say('charts.seconds_95'),
          cell: (interval) => {
            const { p95_seconds } = interval[latency]
            return p95_seconds === null ? '–' : number(p95_seconds)
          },
          isNumber: true,
        },
      ],
    }),
  )
}

/** True if anything happened in an interval, or waited at its end. */
export function isBusy(interval: Interval): boolean {
  return countNames.some((name) => interval[name] > 0) || interval.queue_depth > 0
}
