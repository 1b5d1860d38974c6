import { h } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { number } from '../../../browser/numbers.ts'
import { shownCall } from '../../core/curl.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import { useSoon } from '../../core/hooks/use-soon.ts'
import { messageIn, useLive } from '../../core/live.ts'
import { bindToLink, linkTo } from '../../core/router.ts'
import { Button } from '../../parts/button.ts'
import { Failure } from '../../parts/failure.ts'
import { CheckField } from '../../parts/forms/fields.ts'
import { InstanceField } from '../../parts/forms/instance-field.ts'
import { Icon } from '../../parts/icon.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { localTime, Time } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { ChartCard } from './chart-card.ts'
import { download, fileName, statisticsAsCsv } from './export.ts'
import { FailureReasons } from './failure-reasons.ts'
import { intervalLink, statusAt } from './interval-link.ts'
import { isBusy, NumberTable } from './numbers.ts'
import { type Period, periodNames, periods, requestFor, type Statistics } from './periods.ts'
import { type Drawn, pictureOf } from './picture.ts'
import { latencySeries, latencyShown, messageSeries, queueSeries } from './series.ts'
import { rangeText } from './times.ts'
import { seconds, Totals } from './totals.ts'

/** Milliseconds by which charts may be behind the messages: the server counts some seconds later. */
const behind = { minute: 5_000, hour: 15_000, day: 30_000 } as const

/** The course of messages over time, and how long they took. */
export function screen({ query }: ScreenProps) {
  const period = query.period !== undefined && query.period in periods ? (query.period as Period) : 'hour_24'
  const { instance = '' } = query
  const isCompared = query.compare !== 'no' && period !== 'day_365'
  const [now, setNow] = useState(Date.now)
  const asked = { period, instance, now }
  const request = useMemo(() => requestFor(asked), [period, instance, now])
  const requestBefore = useMemo(() => requestFor(asked, true), [period, instance, now])
  const { data, error, reload } = useCall('getStatistics', request)
  const before = useCall('getStatistics', isCompared ? requestBefore : null)
  const statistics = useKept(data, `${period} ${instance}`)
  const statisticsBefore = useKept(before.data, `${period} ${instance} ${isCompared}`)
  const refresh = () => {
    setNow(Date.now())
    reload()
  }
  const refreshSoon = useSoon(refresh, behind[periods[period].interval])
  // The last seconds before the page opened may not be counted yet.
  useEffect(refreshSoon, [])
  useLive((event) => {
    if (messageIn(event)) refreshSoon()
  }, refresh)
  const drawn = useRef(new Map<string, Drawn>())
  const actions = statistics && h(Exports, { statistics, period, instance, drawn: drawn.current })
  return h(
    Screen,
    { title: say('charts.title'), calls: [shownCall('getStatistics', request ?? {})], actions },
    h(Choices, { period, query, isCompared, onRefresh: refresh }),
    h(Failure, { error: error ?? before.error, onRetry: refresh }),
    statistics
      ? h(Charts, {
          statistics,
          before: isCompared ? statisticsBefore : undefined,
          ...{ period, instance, drawn: drawn.current },
        })
      : h('div', { class: 'charts-to-come' }),
  )
}

/** Returns the last answer to the same question, so that nothing vanishes while a newer one is on its way. */
function useKept(data: Statistics | undefined, question: string): Statistics | undefined {
  const kept = useRef<{ readonly question: string; readonly data: Statistics }>(undefined)
  if (data) kept.current = { question, data }
  return kept.current?.question === question ? kept.current.data : undefined
}

interface ChoicesProps {
  readonly period: Period
  readonly query: ScreenProps['query']
  readonly isCompared: boolean
  readonly onRefresh: () => void
}

function Choices({ period, query, isCompared, onRefresh }: ChoicesProps) {
  const filter = bindToLink(['charts'], query)
  return h(
    'div',
    { class: 'chart-choices' },
    h(
      'div',
      { class: 'segments', role: 'group', 'aria-label': say('charts.period') },
      periodNames.map((each) =>
        h(
          'a',
          {
            key: each,
            href: linkTo(['charts'], { ...query, period: each }),
            'aria-current': each === period ? 'true' : undefined,
          },
          say(`charts.${each}`),
        ),
      ),
    ),
    h(InstanceField, { ...filter('instance'), none: say('everywhere.all_instances') }),
    period !== 'day_365' &&
      h(CheckField, {
        label: say('charts.compare'),
        checked: isCompared,
        onChange: (checked) => filter('compare').onChange(checked ? '' : 'no'),
      }),
    h('button', { type: 'button', onClick: onRefresh }, say('everywhere.refresh')),
  )
}

interface ChartsProps {
  readonly statistics: Statistics
  readonly period: Period
  readonly instance: string
  readonly drawn: Map<string, Drawn>
}

function Exports({ statistics, period, instance, drawn }: ChartsProps) {
  const saveNumbers = () => {
    const text = statisticsAsCsv(statistics, instance)
    download(new Blob([text], { type: 'text/csv;charset=utf-8' }), fileName(period, instance, 'csv'))
  }
  const savePicture = async () => {
    const title = `${say('charts.title')} · ${instance || say('everywhere.all_instances')}`
    const picture = await pictureOf([...drawn.values()], { title, subtitle: rangeText(statistics) })
    download(picture, fileName(period, instance, 'png'))
  }
  const button = (text: string, label: string, onClick: () => unknown) =>
    h(Button, { label, onClick }, h(Icon, { name: 'download' }), text)
  return [
    button('CSV', say('charts.save_numbers'), saveNumbers),
    button('PNG', say('charts.save_picture'), savePicture),
  ]
}

function Charts(props: ChartsProps & { readonly before: Statistics | undefined }) {
  const { statistics, before, period, instance, drawn } = props
  const { data, from, counted_from, counted_until, interval, totals } = statistics
  const messages = useMemo(() => messageSeries(statistics, before, period), [statistics, before])
  const queue = useMemo(() => queueSeries(statistics), [statistics])
  const name = latencyShown(statistics)
  const latency = useMemo(() => latencySeries(statistics, name), [statistics])
  const waiting = data.at(-1)?.queue_depth ?? 0
  const isEmpty = !data.some(isBusy)
  const shared = { statistics, drawn }
  const median = totals[name].p50_seconds
  const open = (index: number, height: number) => {
    const link = intervalLink(statistics, index, { instance, status: statusAt(messages, index, height) })
    if (link !== undefined) location.hash = link
  }
  return [
    h('p', { key: 'range', class: 'small range' }, rangeText(statistics)),
    h(Totals, { key: 'totals', statistics, before, period }),
    Date.parse(counted_from) > Date.parse(from) &&
      h('p', { key: 'gap', class: 'small' }, say('charts.unknown_before', { time: localTime(counted_from) })),
    isEmpty && h('p', { key: 'empty', role: 'status' }, say('charts.empty')),
    h(
      ChartCard,
      {
        ...{ key: 'messages', id: 'chart-messages', ...shared, series: messages, isTall: true },
        title: say(`charts.by_${interval}`),
        format: wholeNumber,
        onPick: open,
        label: inWords(statistics, before, period),
      },
      h(NumberTable, { statistics, instance }),
    ),
    h(FailureReasons, { key: 'reasons', totals, instance }),
    h(
      'div',
      { key: 'beside', class: 'beside' },
      h(ChartCard, {
        ...{ id: 'chart-queue', ...shared, series: queue, format: wholeNumber },
        title: say('charts.queue_depth'),
        aside: say('charts.waiting_now', { count: number(waiting) }),
        label: say('charts.queue_hint'),
      }),
      h(ChartCard, {
        ...{ id: 'chart-latency', ...shared, series: latency, format: seconds },
        title: say(`charts.seconds.${name}`),
        aside: median === null ? undefined : say('charts.half_within', { time: seconds(median) }),
        label: say('charts.latency_hint'),
      }),
    ),
    h(
      'p',
      { key: 'until', class: 'small' },
      say('charts.counted_until'),
      ' ',
      h(Time, { at: counted_until }),
    ),
  ]
}

const wholeNumber = (value: number) => (Number.isInteger(value) ? number(value) : '')

/** The chart of messages in words, with the period before. */
function inWords({ totals }: Statistics, before: Statistics | undefined, period: Period): string {
  const told = ({ sent, delivered, read, failed, received }: Statistics['totals']) =>
    say('charts.in_words', {
      ...{ sent: number(sent), delivered: number(delivered), read: number(read) },
      ...{ failed: number(failed), received: number(received) },
    })
  return before ? `${told(totals)} ${say(`charts.before.${period}`)}: ${told(before.totals)}` : told(totals)
}
