import { h } from 'preact'
import { number } from '../../../browser/numbers.ts'
import { Disclosure } from '../../parts/disclosure.ts'
import { Table } from '../../parts/table.ts'
import { Time } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { countNames, type Interval, isUnknown, type Statistics } from './periods.ts'
import { latencyShown } from './series.ts'

/** The numbers of a chart as a table, the newest first: for a person who cannot see it, or wants to know exactly. */
export function NumberTable({ statistics }: { readonly statistics: Statistics }) {
  const { data } = statistics
  const items = data.filter((interval, at) => isBusy(interval) && !isUnknown(statistics, at)).reverse()
  const latency = latencyShown(statistics)
  const shown = countNames.filter((name) => name !== 'unknown' && name !== 'canceled')
  return h(
    Disclosure,
    { title: say('charts.in_numbers') },
    h(Table<Interval>, {
      caption: say('charts.in_numbers'),
      items,
      keyOf: ({ from }) => from,
      columns: [
        { title: say('everywhere.time'), cell: ({ from }) => h(Time, { at: from }) },
        ...shown.map((name) => ({
          title: say(`charts.${name}`),
          cell: (interval: Interval) => number(interval[name]),
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
