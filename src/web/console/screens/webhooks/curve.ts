import { h } from 'preact'
import { useState } from 'preact/hooks'
import { number } from '../../../browser/numbers.ts'
import { Card } from '../../parts/card.ts'
import { shortTime } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import type { Hours } from './health.ts'

const spans = [24, 168] as const

/** Deliveries hour by hour: what arrived, with the requests that failed on top, and the backlog as a line of its own scale. */
export function Curve({ hours }: { readonly hours: Hours }) {
  const [span, setSpan] = useState<(typeof spans)[number]>(24)
  const shown = hours.slice(-span)
  const choice = h(
    'div',
    { class: 'webhook-choice', role: 'group', 'aria-label': say('everywhere.time') },
    spans.map((each) =>
      h(
        'button',
        { key: each, type: 'button', 'aria-pressed': each === span, onClick: () => setSpan(each) },
        say(each === 24 ? 'everywhere.spans.24h' : 'everywhere.spans.7d'),
      ),
    ),
  )
  return h(
    Card,
    { id: 'curve', title: say('webhooks.curve'), aside: choice },
    h('div', { class: 'curve' }, h(Bars, { hours: shown })),
  )
}

function Bars({ hours }: { readonly hours: Hours }) {
  const sum = (name: 'delivered' | 'failed_attempts') => hours.reduce((total, hour) => total + hour[name], 0)
  const most = Math.max(0, ...hours.map((hour) => hour.delivered + hour.failed_attempts))
  const highest = Math.max(1, most)
  const backlog = Math.max(0, ...hours.map(({ pending }) => pending))
  const height = (count: number) => (96 * count) / highest
  const line = hours
    .map(({ pending }, at) => `${at + 0.5},${100 - (96 * pending) / Math.max(1, backlog)}`)
    .join(' ')
  const words = {
    delivered: number(sum('delivered')),
    failed: number(sum('failed_attempts')),
    backlog: number(backlog),
  }
  return h(
    'figure',
    { class: 'hour-bars' },
    // The largest count, at the height of the largest bar.
    h('div', { class: 'small hour-most', 'aria-hidden': true }, most > 0 && number(most)),
    h(
      'svg',
      {
        viewBox: `0 0 ${hours.length || 1} 100`,
        preserveAspectRatio: 'none',
        role: 'img',
        'aria-label': say('webhooks.curve_says', words),
      },
      hours.map(({ from, delivered, failed_attempts }, at) =>
        h(
          'g',
          { key: from },
          h('rect', {
            ...{ x: at + 0.14, width: 0.72, class: 'done' },
            ...{ y: 100 - height(delivered), height: height(delivered) },
          }),
          h('rect', {
            ...{ x: at + 0.14, width: 0.72, class: 'failed' },
            ...{ y: 100 - height(delivered + failed_attempts), height: height(failed_attempts) },
          }),
        ),
      ),
      backlog > 0 && h('polyline', { class: 'backlog', points: line }),
    ),
    h(
      'div',
      { class: 'hour-names small', 'aria-hidden': true },
      [hours[0], hours[hours.length / 2], hours.at(-1)].map((hour, at) =>
        h('span', { key: at }, hour && shortTime(hour.from)),
      ),
    ),
    h(
      'figcaption',
      { class: 'small' },
      h('span', { class: 'key' }, `${say('webhooks.status_delivered')}: ${words.delivered}`),
      h('span', { class: 'key failed' }, `${say('webhooks.failed_requests')}: ${words.failed}`),
      h('span', { class: 'key backlog' }, say('webhooks.backlog_most', { count: backlog })),
    ),
  )
}
