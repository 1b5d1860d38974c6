import { h } from 'preact'
import { number } from '../../../browser/numbers.ts'
import type { Answer } from '../../core/operations.ts'
import { TimeOfDay } from '../../parts/time.ts'
import { say } from '../../words/say.ts'

type Hour = Answer<'getStatistics'>['data'][number]

/** A bar for each hour, with what failed on top. The page of charts has the numbers as a table. */
export function TrafficBars({ hours }: { readonly hours: readonly Hour[] }) {
  const top = roundTop(Math.max(0, ...hours.map(({ sent, failed }) => sent + failed)))
  const height = (count: number) => (100 * count) / top
  const sum = (pick: (hour: Hour) => number) => hours.reduce((all, each) => all + pick(each), 0)
  const label = say('overview.bars', {
    sent: number(sum(({ sent }) => sent)),
    failed: number(sum(({ failed }) => failed)),
  })
  return h(
    'figure',
    { class: 'day-bars' },
    h(
      'div',
      { class: 'scale small', 'aria-hidden': true },
      [top, top / 2, 0].map((value) => h('span', { key: value }, number(value))),
    ),
    h(
      'svg',
      { viewBox: `0 0 ${hours.length} 100`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label },
      [0, 50].map((y) => h('path', { key: y, class: 'grid', d: `M0 ${y}H${hours.length}` })),
      hours.map((hour, at) => {
        const x = { x: at + 0.14, width: 0.72 }
        const [sent, all] = [height(hour.sent), height(hour.sent + hour.failed)]
        return h(
          'g',
          { key: hour.from },
          h('rect', { ...x, class: 'sent', y: 100 - sent, height: sent }),
          h('rect', { ...x, class: 'failed', y: 100 - all, height: all - sent }),
        )
      }),
    ),
    h(
      'div',
      { class: 'hours small', 'aria-hidden': true },
      hours.filter((_, at) => at % 6 === 0).map(({ from }) => h(TimeOfDay, { key: from, at: from })),
    ),
  )
}

/** The colours of the bars in words. */
export function BarLegend() {
  return h(
    'span',
    { class: 'bar-legend small' },
    h('span', { class: 'key' }, say('overview.sent')),
    h('span', { class: 'key failed' }, say('overview.failed')),
  )
}

/** Returns the number at the top of a scale: a round one whose half is whole, above everything. */
function roundTop(highest: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(highest, 2)))
  const steps = [1, 2, 4, 6, 8, 10].map((step) => step * power)
  return steps.find((step) => step >= highest && step % 2 === 0) ?? 10 * power
}
