import { h } from 'preact'
import { iconShapes } from './icon-shapes.ts'

export type IconName = keyof typeof iconShapes

/** A picture beside words: a person who cannot see it misses nothing. */
export function Icon({ name }: { readonly name: IconName }) {
  return h(
    'svg',
    { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': true },
    h('path', { d: iconShapes[name] }),
  )
}

/** The mark of Posthorn: a coiled post horn. */
export function Mark() {
  return h(
    'svg',
    { class: 'mark', viewBox: '0 0 32 32', 'aria-hidden': true },
    h('rect', { width: 32, height: 32, rx: 8, fill: 'currentColor' }),
    h(
      'g',
      { class: 'horn' },
      h('path', { d: 'M6 7v4M6 9h8.5' }),
      h('circle', { cx: 14.5, cy: 16, r: 7 }),
      h('path', { class: 'bell', d: 'M14.5 23c5 0 8-1.5 11.5-5v8c-3.5-2-7-3-11.5-3z' }),
    ),
  )
}
