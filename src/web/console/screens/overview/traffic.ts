import { h } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { number } from '../../../browser/numbers.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import { useSoon } from '../../core/hooks/use-soon.ts'
import { messageIn, useLive } from '../../core/live.ts'
import type { Answer, Request } from '../../core/operations.ts'
import { linkTo } from '../../core/router.ts'
import { Card } from '../../parts/card.ts'
import { Failure } from '../../parts/failure.ts'
import { agePlace, withAge } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { BarLegend, TrafficBars } from './traffic-bars.ts'

type Statistics = Answer<'getStatistics'>
type Interval = Statistics['data'][number]

const day = 86_400_000
/** Hours that are shown; those before them are what they are compared with. */
const shownHours = 24
/** Milliseconds by which the counts may be behind the messages: the server counts some seconds later. */
const countDelay = 15_000

/** The two days that the overview asks for. */
export function trafficRequest(): Request<'getStatistics'> {
  const from = new Date(Date.now() - (2 * shownHours - 1) * 3_600_000).toISOString()
  return { query: { interval: 'hour', from } }
}

/** Seven days of UTC before those that are shown: what is usual. */
function usualRequest(): Request<'getStatistics'> {
  const yesterday = Date.now() - day
  const to = yesterday - (yesterday % day)
  const text = (at: number) => new Date(at).toISOString()
  return { query: { interval: 'day', from: text(to - 7 * day), to: text(to) } }
}

interface TrafficProps {
  readonly waiting: number
  /** When the message was accepted that has waited the longest. */
  readonly oldest: string | null | undefined
  /** Called once the counts were read, or cannot be. */
  readonly onRead: () => void
}

/** The last 24 hours: what was sent and what failed, hour by hour, and the same a day before. */
export function Traffic({ waiting, oldest, onRead }: TrafficProps) {
  const request = useMemo(trafficRequest, [])
  const { data, error, reload } = useCall('getStatistics', request)
  const usual = useCall('getStatistics', useMemo(usualRequest, []))
  const readSoon = useSoon(reload, countDelay)
  useLive((event) => {
    if (messageIn(event)) readSoon()
  }, reload)
  const isRead = data !== undefined || error !== undefined
  useEffect(() => {
    if (isRead) onRead()
  }, [isRead])
  const hours = data?.data.slice(-shownHours) ?? []
  const before = data?.data.slice(-2 * shownHours, -shownHours) ?? []
  const isKnown = data !== undefined && data.counted_from <= (before[0]?.from ?? '')
  const charts = h('a', { class: 'small', href: linkTo(['charts']) }, say('overview.go_charts'))
  return h(
    Card,
    {
      id: 'traffic',
      title: say('overview.last_day'),
      aside: h('span', { class: 'state' }, charts, h(BarLegend, null)),
    },
    h(Failure, { error, onRetry: reload }),
    h(
      'div',
      { class: 'traffic' },
      data && [
        h(Totals, { hours, before: isKnown ? before : undefined, usual: usual.data, waiting, oldest }),
        h(TrafficBars, { hours }),
      ],
    ),
  )
}

interface TotalsProps extends Pick<TrafficProps, 'waiting' | 'oldest'> {
  readonly hours: readonly Interval[]
  /** Undefined if not all of the day before is known. */
  readonly before: readonly Interval[] | undefined
  readonly usual: Statistics | undefined
}

function Totals({ hours, before, usual, waiting, oldest }: TotalsProps) {
  const now = totalsOf(hours)
  const then = before && totalsOf(before)
  const dayBefore = (value: number | undefined) =>
    value === undefined ? '' : say('overview.day_before', { value: number(value) })
  const rate = usual && share(usual.totals)
  const failedNotes = [
    now.failed > 0 ? say('overview.messages', { count: now.failed }) : '',
    rate === undefined ? '' : say('overview.usually', { value: rate }),
  ]
  const figures = [
    { title: say('charts.accepted'), value: number(now.accepted), note: dayBefore(then?.accepted) },
    {
      title: say('overview.failed'),
      value: share(now) ?? '–',
      note: failedNotes.filter(Boolean).join(' · '),
      look: now.failed > 0 ? 'bad' : undefined,
    },
    { title: say('overview.received'), value: number(now.received), note: dayBefore(then?.received) },
    {
      title: say('overview.queue'),
      value: number(waiting),
      note:
        oldest &&
        h(
          'a',
          { href: linkTo(['messages'], { status: 'queued' }) },
          withAge(say('overview.oldest_since', { time: agePlace }), oldest),
        ),
    },
  ]
  return h(
    'dl',
    { class: 'figures' },
    figures.map(({ title, value, note, look }) =>
      h(
        'div',
        { key: title },
        h('dt', null, title),
        h('dd', { class: look }, value),
        h('dd', { class: 'small' }, note),
      ),
    ),
  )
}

type Totals = Pick<Interval, 'accepted' | 'sent' | 'failed' | 'received'>

function totalsOf(hours: readonly Interval[]): Totals {
  const sum = (pick: (hour: Interval) => number) => hours.reduce((total, hour) => total + pick(hour), 0)
  return {
    accepted: sum(({ accepted }) => accepted),
    sent: sum(({ sent }) => sent),
    failed: sum(({ failed }) => failed),
    received: sum(({ received }) => received),
  }
}

/** Failed messages among those that came to an end, in percent; undefined if none did. */
function share({ sent, failed }: Pick<Totals, 'sent' | 'failed'>): string | undefined {
  return sent + failed === 0 ? undefined : `${number((100 * failed) / (sent + failed), 1)} %`
}
