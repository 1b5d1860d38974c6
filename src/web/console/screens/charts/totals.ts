import { h } from 'preact'
import { number } from '../../../browser/numbers.ts'
import { language } from '../../../browser/words.ts'
import { say } from '../../words/say.ts'
import { changeOf, type Interval, type Period, type Statistics } from './periods.ts'
import { latencyShown } from './series.ts'

interface TotalsProps {
  readonly statistics: Statistics
  readonly before: Statistics | undefined
  readonly period: Period
}

/** The totals of a period, each with its change on the period before. */
export function Totals({ statistics, before, period }: TotalsProps) {
  const { totals } = statistics
  const latency = totals[latencyShown(statistics)]
  const change = (count: (interval: Interval) => number) => {
    const share = changeOf(statistics, before, count)
    return share === undefined ? '' : say(`charts.change.${period}`, { change: signed(share) })
  }
  const isComparable = before !== undefined && Date.parse(before.counted_from) <= Date.parse(before.from)
  const rateBefore = isComparable ? failureRate(before.totals) : undefined
  const rate = failureRate(totals)
  const figures = [
    { title: say('charts.accepted'), value: number(totals.accepted), note: change((one) => one.accepted) },
    {
      title: say('charts.failed'),
      color: 'failed',
      value: number(totals.failed),
      note: [
        rate === undefined ? '' : percent(rate),
        rateBefore === undefined ? '' : `${say(`charts.before.${period}`)}: ${percent(rateBefore)}`,
      ],
      look: totals.failed > 0 ? 'bad' : undefined,
    },
    {
      title: say('charts.received'),
      color: 'received',
      value: number(totals.received),
      note: change((one) => one.received),
    },
    {
      title: say(`charts.median.${latencyShown(statistics)}`),
      value: latency.p50_seconds === null ? '–' : seconds(latency.p50_seconds),
      note: latency.p95_seconds === null ? '' : say('charts.within', { time: seconds(latency.p95_seconds) }),
    },
  ]
  return h(
    'dl',
    { class: 'panel totals' },
    figures.map(({ title, color, value, note, look }) =>
      h(
        'div',
        { key: title },
        h('dt', null, color && h('span', { class: `key bars ${color}` }), title),
        h('dd', { class: look }, value),
        h('dd', { class: 'small' }, [note].flat().filter(Boolean).join(' · ')),
      ),
    ),
  )
}

/** The share of messages that failed among those that came to an end; undefined if none did. */
function failureRate({ sent, failed }: Pick<Interval, 'sent' | 'failed'>): number | undefined {
  return sent + failed === 0 ? undefined : failed / (sent + failed)
}

function percent(share: number, more: Intl.NumberFormatOptions = { maximumFractionDigits: 1 }): string {
  return new Intl.NumberFormat(language(), { style: 'percent', ...more }).format(share)
}

const signed = (share: number) => percent(share, { maximumFractionDigits: 0, signDisplay: 'exceptZero' })

/** Seconds in words, with two digits that count. */
export function seconds(value: number): string {
  const [amount, unit] =
    value < 1
      ? ([value * 1000, 'millisecond'] as const)
      : value < 120
        ? ([value, 'second'] as const)
        : value < 7200
          ? ([value / 60, 'minute'] as const)
          : ([value / 3600, 'hour'] as const)
  return new Intl.NumberFormat(language(), {
    ...({ style: 'unit', unit, unitDisplay: 'short' } as const),
    maximumFractionDigits: amount < 10 ? 1 : 0,
  }).format(amount)
}
