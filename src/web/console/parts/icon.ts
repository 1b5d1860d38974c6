import { h } from 'preact'

/** The shapes of the icons, drawn in a square of 24. */
const shapes = {
  check: 'M5 13l4 4L19 7',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  code: 'M8 7l-5 5 5 5M16 7l5 5-5 5M13 5l-2 14',
  close: 'M6 6l12 12M18 6L6 18',
  menu: 'M4 6h16M4 12h16M4 18h16',
  search: 'M11 4a7 7 0 1 1 0 14a7 7 0 0 1 0-14M16 16l5 5',
  next: 'M9 5l7 7-7 7',
  file: 'M6 3h8l5 5v13H6zM14 3v5h5',
} as const

/** A picture beside words: a person who cannot see it misses nothing. */
export function Icon({ name }: { readonly name: keyof typeof shapes }) {
  return h(
    'svg',
    { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': true },
    h('path', { d: shapes[name] }),
  )
}
