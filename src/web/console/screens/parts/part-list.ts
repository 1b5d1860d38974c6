import { type ComponentChildren, h } from 'preact'
import { linkTo } from '../../core/router.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { Buttons, Fields, OpenDialog, Picks } from './controls.ts'
import { Badges, Faults, Listings, Texts, Times, Waits } from './shows.ts'
import { Talk } from './talk.ts'

/**
 * Every part of the console in every state, for those who work on it. It belongs to no build: only the server of the tests serves it
 * (test/kit/console/parts-server.ts), and a test compares it with pictures.
 */
export function screen({ query }: ScreenProps) {
  return h(
    Screen,
    { title: 'Parts', parent: { title: 'A screen above', link: linkTo(['parts']) }, calls: [] },
    h(
      'div',
      null,
      h(Group, { title: 'Buttons' }, h(Buttons, null)),
      h(Group, { title: 'Badges' }, h(Badges, null)),
      h(Group, { title: 'Fields' }, h(Fields, null)),
      h(Group, { title: 'Choices' }, h(Picks, null)),
      h(Group, { title: 'Texts' }, h(Texts, null)),
      h(Group, { title: 'Faults' }, h(Faults, null)),
      h(Group, { title: 'Times' }, h(Times, null)),
      h(Group, { title: 'Lists' }, h(Listings, null)),
      h(Group, { title: 'Waiting' }, h(Waits, null)),
      h(Group, { title: 'Messages' }, h(Talk, null)),
    ),
    query.open === 'dialog' && h(OpenDialog, null),
  )
}

function Group({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  const id = `part-${title.toLowerCase()}`
  return h('section', { 'data-part': title, 'aria-labelledby': id }, h('h2', { id }, title), children)
}
