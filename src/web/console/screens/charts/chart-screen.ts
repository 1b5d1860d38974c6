import { h } from 'preact'
import { useMemo } from 'preact/hooks'
import { number } from '../../../browser/numbers.ts'
import { shownCall } from '../../core/curl.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import type { Answer, Request } from '../../core/operations.ts'
import { bindToLink } from '../../core/router.ts'
import { Failure } from '../../parts/failure.ts'
import { ChoiceField } from '../../parts/forms/fields.ts'
import { InstanceField } from '../../parts/forms/instance-field.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { Table } from '../../parts/table.ts'
import { Time } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { Chart, type Line } from './chart.ts'

type Statistics = Answer<'getStatistics'>
type Interval = Statistics['data'][number]

/** The periods to choose from: what is counted together, and how many of those. */
const periods = {
  hour_24: { interval: 'hour', milliseconds: 24 * 3_600_000 },
  day_7: { interval: 'hour', milliseconds: 7 * 86_400_000 },
  day_30: { interval: 'day', milliseconds: 30 * 86_400_000 },
  day_365: { interval: 'day', milliseconds: 365 * 86_400_000 },
} as const
type Period = keyof typeof periods

/** The course of messages over time, and how long it took. */
export function screen({ query }: ScreenProps) {
  const period = query.period !== undefined && query.period in periods ? (query.period as Period) : 'hour_24'
  const { instance } = query
  const filter = bindToLink(['charts'], query)
  const request = useMemo(() => requestFor(period, instance), [period, instance])
  const { data, error, reload } = useCall('getStatistics', request)
  return h(
    Screen,
    { title: say('charts.title'), calls: [shownCall('getStatistics', request)] },
    h(
      'div',
      { class: 'filters' },
      h(ChoiceField<string, Period>, {
        ...filter('period', true),
        value: period,
        label: say('charts.period'),
        values: Object.keys(periods) as Period[],
        nameOf: (value) => say(`charts.${value}`),
      }),
      h(InstanceField, { ...filter('instance'), none: say('everywhere.all_instances') }),
      h('button', { type: 'button', onClick: reload }, say('everywhere.refresh')),
    ),
    h(Failure, { error, onRetry: reload }),
    data && h(Charts, { statistics: data }),
  )
}

/** The whole intervals up to now: those are only asked for anew when something is chosen. */
function requestFor(period: Period, instance: string | undefined): Request<'getStatistics'> {
  const { interval, milliseconds } = periods[period]
  const from = new Date(Date.now() - milliseconds).toISOString()
  return { query: { interval, from, ...(instance ? { instance } : {}) } }
}

function Charts({ statistics }: { readonly statistics: Statistics }) {
  const { data, counted_until } = statistics
  const { times, counts, queue, latencies } = useMemo(() => seriesOf(data), [data])
  const rows = data.filter(isBusy).reverse()
  return [
    h(
      'p',
      { key: 'queue_now' },
      say('charts.queue_now'),
      ': ',
      h('strong', null, say('charts.waiting_now', { count: data.at(-1)?.queue_depth ?? 0 })),
    ),
    rows.length === 0
      ? h('div', { key: 'empty', class: 'empty' }, h('p', null, say('charts.empty')))
      : [
          h(Chart, { key: 'messages', title: say('charts.messages'), times, lines: counts }),
          h(Chart, { key: 'queue', title: say('charts.queue_depth'), times, lines: queue }),
          h('p', { key: 'queue_hint', class: 'hint' }, say('charts.queue_hint')),
          h(Chart, { key: 'latency', title: say('charts.latency'), times, lines: latencies }),
          h('p', { key: 'latency_hint', class: 'hint' }, say('charts.latency_hint')),
          h('h2', { key: 'numbers' }, say('charts.in_numbers')),
          h(Table<Interval>, {
            key: 'table',
            caption: say('charts.in_numbers'),
            items: rows,
            keyOf: ({ from }) => from,
            columns: columns(),
          }),
        ],
    h(
      'p',
      { key: 'until', class: 'small' },
      say('charts.counted_until'),
      ' ',
      h(Time, { at: counted_until }),
    ),
  ]
}

const shownCounts = ['accepted', 'sent', 'delivered', 'read', 'failed', 'received'] as const

/** Made when they are drawn: the language may have changed. */
const columns = () => [
  { title: say('everywhere.time'), cell: ({ from }: Interval) => h(Time, { at: from }) },
  ...shownCounts.map((name) => ({
    title: say(`charts.${name}`),
    cell: (interval: Interval) => number(interval[name]),
    isNumber: true,
  })),
  {
    title: say('charts.queue_depth'),
    cell: ({ queue_depth }: Interval) => number(queue_depth),
    isNumber: true,
  },
  {
    title: say('charts.latency'),
    cell: ({ to_sent }: Interval) => seconds(to_sent.p95_seconds),
    isNumber: true,
  },
]

function seconds(value: number | null): string {
  return value === null ? '–' : number(value)
}

function isBusy(interval: Interval): boolean {
  return (
    shownCounts.some((name) => interval[name] > 0) ||
    interval.expired + interval.canceled + interval.unknown + interval.queue_depth > 0
  )
}

function seriesOf(data: readonly Interval[]) {
  const line = (
    label: string,
    color: string,
    pick: (interval: Interval) => number | null,
    dash?: number[],
  ): Line => ({
    label,
    color,
    values: data.map(pick),
    ...(dash ? { dash } : {}),
  })
  return {
    times: data.map(({ from }) => Date.parse(from)),
    counts: [
      line(say('charts.accepted'), '--busy', ({ accepted }) => accepted),
      line(say('charts.sent'), '--good', ({ sent }) => sent, [8, 4]),
      line(say('charts.failed'), '--bad', ({ failed }) => failed),
      line(say('charts.received'), '--attention', ({ received }) => received, [2, 4]),
    ],
    queue: [line(say('charts.waiting'), '--busy', ({ queue_depth }) => queue_depth)],
    latencies: [
      line(say('charts.p50'), '--good', ({ to_sent }) => to_sent.p50_seconds),
      line(say('charts.p95'), '--attention', ({ to_sent }) => to_sent.p95_seconds, [8, 4]),
    ],
  }
}
