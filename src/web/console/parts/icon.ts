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
  more: 'M4 12a1 1 0 1 1 2 0a1 1 0 1 1-2 0M11 12a1 1 0 1 1 2 0a1 1 0 1 1-2 0M18 12a1 1 0 1 1 2 0a1 1 0 1 1-2 0',
  person: 'M12 4a4 4 0 1 1 0 8a4 4 0 0 1 0-8M4 21c0-4 3.5-6 8-6s8 2 8 6',
  place: 'M12 21c-5-6-7-8-7-11a7 7 0 0 1 14 0c0 3-2 5-7 11M12 8a2 2 0 1 1 0 4a2 2 0 0 1 0-4',
  plus: 'M12 5v14M5 12h14',
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
