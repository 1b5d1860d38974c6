import { h } from 'preact'
import { useMemo } from 'preact/hooks'
import { number } from '../../../browser/numbers.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import { useSoon } from '../../core/hooks/use-soon.ts'
import { messageIn, useLive } from '../../core/live.ts'
import type { Answer, Request } from '../../core/operations.ts'
import { linkTo } from '../../core/router.ts'
import { Card } from '../../parts/card.ts'
import { Failure } from '../../parts/failure.ts'
import { TimeOfDay } from '../../parts/time.ts'
import { say } from '../../words/say.ts'

type Interval = Answer<'getStatistics'>['data'][number]

/** Hours that are shown; those before them are what they are compared with. */
const shownHours = 24
/** Milliseconds by which the counts may be behind the messages: the server counts some seconds later. */
const countDelay = 15_000

/** The two days that the overview asks for. */
export function trafficRequest(): Request<'getStatistics'> {
  const from = new Date(Date.now() - (2 * shownHours - 1) * 3_600_000).toISOString()
  return { query: { interval: 'hour', from } }
}

/** The last 24 hours: what was sent and what failed, hour by hour, and the same a day before. */
export function Traffic({ waiting }: { readonly waiting: number }) {
  const request = useMemo(trafficRequest, [])
  const { data, error, reload } = useCall('getStatistics', request)
  const readSoon = useSoon(reload, countDelay)
  useLive((event) => {
    if (messageIn(event)) readSoon()
  }, reload)
  const hours = data?.data.slice(-shownHours) ?? []
  const before = data?.data.slice(-2 * shownHours, -shownHours) ?? []
  const charts = h('a', { class: 'small', href: linkTo(['charts']) }, say('overview.go_charts'))
  return h(
    Card,
    { id: 'traffic', title: say('overview.last_day'), aside: charts },
    h(Failure, { error, onRetry: reload }),
    h('div', { class: 'traffic' }, data && [h(Totals, { hours, before, waiting }), h(Bars, { hours })]),
  )
}

interface TotalsProps {
  readonly hours: readonly Interval[]
  readonly before: readonly Interval[]
  readonly waiting: number
}

function Totals({ hours, before, waiting }: TotalsProps) {
  const [now, then] = [totalsOf(hours), totalsOf(before)]
  const figures = [
    { title: say('overview.accepted'), value: number(now.accepted), note: dayBefore(number(then.accepted)) },
    {
      title: say('overview.failed'),
      value: share(now),
      note:
        now.failed > 0
          ? `${say('overview.messages', { count: now.failed })} · ${dayBefore(share(then))}`
          : dayBefore(share(then)),
      look: now.failed > 0 ? 'bad' : undefined,
    },
    { title: say('overview.received'), value: number(now.received), note: dayBefore(number(then.received)) },
    { title: say('overview.queue'), value: number(waiting) },
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
        note && h('dd', { class: 'small' }, note),
      ),
    ),
  )
}

const dayBefore = (value: string) => say('overview.day_before', { value })

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

/** Failed messages among those that came to an end, in percent. */
function share({ sent, failed }: Totals): string {
  return sent + failed === 0 ? '–' : `${number((100 * failed) / (sent + failed), 1)} %`
}

/** A bar for each hour, with what failed on top. The page of charts has the numbers as a table. */
function Bars({ hours }: Pick<TotalsProps, 'hours'>) {
  const highest = Math.max(1, ...hours.map(({ sent, failed }) => sent + failed))
  const { sent, failed } = totalsOf(hours)
  const height = (count: number) => (100 * count) / highest
  return h(
    'figure',
    { class: 'bars' },
    h(
      'svg',
      {
        viewBox: `0 0 ${hours.length} 100`,
        preserveAspectRatio: 'none',
        role: 'img',
        'aria-label': say('overview.bars', { sent: number(sent), failed: number(failed) }),
      },
      hours.map((hour, at) =>
        h(
          'g',
          { key: hour.from },
          h('rect', {
            ...{ x: at + 0.14, width: 0.72, class: 'sent' },
            ...{ y: 100 - height(hour.sent), height: height(hour.sent) },
          }),
          h('rect', {
            ...{ x: at + 0.14, width: 0.72, class: 'failed' },
            ...{ y: 100 - height(hour.sent + hour.failed), height: height(hour.failed) },
          }),
        ),
      ),
    ),
    h(
      'div',
      { class: 'hours small', 'aria-hidden': true },
      hours.filter((_, at) => at % 6 === 0).map(({ from }) => h(TimeOfDay, { key: from, at: from })),
    ),
    h(
      'figcaption',
      { class: 'small' },
      h('span', { class: 'key sent' }, say('overview.sent')),
      h('span', { class: 'key failed' }, say('overview.failed')),
    ),
  )
}
