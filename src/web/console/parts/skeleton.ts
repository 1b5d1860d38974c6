import { h } from 'preact'
import { say } from '../words/say.ts'

interface SkeletonProps {
  /** The rows that probably come. */
  readonly rows?: number
  /** `line` for what is no list: a title and its words. */
  readonly look?: 'rows' | 'lines'
}

/** The place of what is being loaded: it has about its height, so that nothing moves when it comes. */
export function Skeleton({ rows = 8, look = 'rows' }: SkeletonProps) {
  return h(
    'div',
    { class: `loading skeleton ${look}`, role: 'status' },
    h('span', { class: 'unseen' }, say('everywhere.loading')),
    Array.from({ length: rows }, (_, row) =>
      h(
        'div',
        { key: row, class: 'skeleton-row', 'aria-hidden': true },
        h('span', null),
        h('span', null),
        h('span', null),
      ),
    ),
  )
}
