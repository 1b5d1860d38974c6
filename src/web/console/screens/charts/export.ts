import { say } from '../../words/say.ts'
import { type Cell, csvOf } from './csv.ts'
import { countNames, isUnknown, type Statistics } from './periods.ts'

const quantiles = ['p50_seconds', 'p95_seconds', 'p99_seconds'] as const

/** Writes statistics as CSV: a row for each interval. Intervals of which nothing is known have no numbers. */
export function statisticsAsCsv(statistics: Statistics, instance: string): string {
  const title: Cell[] = [
    say('everywhere.time'),
    say('everywhere.instance'),
    ...countNames.map((name) => say(`charts.${name}`)),
    say('charts.waiting'),
    ...(['to_sent', 'to_delivered'] as const).flatMap((name) =>
      ['50 %', '95 %', '99 %'].map((share) => `${say(`charts.seconds.${name}`)} (${share})`),
    ),
  ]
  const rows = statistics.data.map((interval, at): Cell[] => {
    const beginning = [interval.from, instance || say('everywhere.all_instances')]
    if (isUnknown(statistics, at)) return [...beginning, ...title.slice(beginning.length).map(() => null)]
    return [
      ...beginning,
      ...countNames.map((name) => interval[name]),
      interval.queue_depth,
      ...quantiles.map((name) => interval.to_sent[name]),
      ...quantiles.map((name) => interval.to_delivered[name]),
    ]
  })
  return csvOf([title, ...rows])
}

/** Has the browser keep a file. */
export function download(content: Blob, name: string): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Names the file of a chart, by its period and its instance. */
export function fileName(period: string, instance: string, type: 'csv' | 'png'): string {
  const day = new Date().toISOString().slice(0, 10)
  const parts = ['posthorn', instance, period.replace('_', '-'), day]
  return `${parts.filter(Boolean).join('-')}.${type}`
}
