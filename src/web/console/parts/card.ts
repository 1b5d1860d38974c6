import { type ComponentChildren, h } from 'preact'

interface CardProps {
  readonly title: string
  /** The id of its title, by which screen readers name it. */
  readonly id: string
  /** Stands at the end of its header, such as a link to more of the same. */
  readonly aside?: ComponentChildren
  readonly children?: ComponentChildren
}

/** A part of a screen on a ground of its own, with a header. */
export function Card({ title, id, aside, children }: CardProps) {
  return h(
    'section',
    { class: 'panel titled', 'aria-labelledby': id },
    h('header', null, h('h2', { id }, title), aside),
    children,
  )
}
