import { h } from 'preact'
import { number } from '../../browser/numbers.ts'
import { say } from '../words/say.ts'

interface DayLineProps {
  /** The counts of each hour, the oldest first; undefined until they are known. */
  readonly hours: { readonly sent: readonly number[]; readonly failed: readonly number[] } | undefined
}

/** The last hours of an instance as small bars, with what failed on top. Its room is there before it is known. */
export function DayLine({ hours }: DayLineProps) {
  if (!hours) return h('div', { class: 'day-line' })
  const { sent, failed } = hours
  const all = sent.map((count, at) => count + (failed[at] ?? 0))
  const top = Math.max(1, ...all)
  const sum = (counts: readonly number[]) => number(counts.reduce((total, count) => total + count, 0))
  const label = say('overview.bars', { sent: sum(sent), failed: sum(failed) })
  return h(
    'div',
    { class: 'day-line' },
    h(
      'svg',
      { viewBox: `0 0 ${all.length} 24`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label },
      h('title', null, label),
      all.map((count, at) => {
        // Even a single message is seen beside thousands.
        const height = count === 0 ? 1 : Math.max(2, (24 * count) / top)
        const red = count === 0 ? 0 : (height * (failed[at] ?? 0)) / count
        const x = { x: at + 0.12, width: 0.76 }
        return h(
          'g',
          // An hour has no name but its place.
          { key: at },
          h('rect', {
            ...x,
            class: count === 0 ? 'none' : 'sent',
            y: 24 - height + red,
            height: height - red,
          }),
          red > 0 && h('rect', { ...x, class: 'failed', y: 24 - height, height: red }),
        )
      }),
    ),
  )
}
