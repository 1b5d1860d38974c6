import { type ComponentChildren, h } from 'preact'
import { useRef } from 'preact/hooks'

interface DisclosureProps {
  readonly title: string
  /** Opens it, for example because something in it is set. It stays open then, so that nothing vanishes while one types. */
  readonly isOpen?: boolean
  readonly look?: 'group'
  readonly children?: ComponentChildren
}

/** Content that is seldom needed, behind its title. */
export function Disclosure({ title, isOpen = false, look, children }: DisclosureProps) {
  const wasOpen = useRef(false)
  wasOpen.current ||= isOpen
  return h('details', { class: look, open: wasOpen.current }, h('summary', null, title), children)
}
