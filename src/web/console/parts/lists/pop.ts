import { type ComponentChildren, h, type RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface PopProps {
  /** The button that it belongs to, which stands before it. */
  readonly opener: RefObject<HTMLElement | null>
  /** Gets false when Escape is pressed, or Enter in a field, or when what is outside of it is pressed or gets the focus. */
  readonly onClose: (isOpen: false) => void
  readonly label: string
  readonly children?: ComponentChildren
}

/** Something small below the button that opened it. Its first field gets the focus. */
export function Pop({ opener, onClose, label, children }: PopProps) {
  const place = useRef<HTMLDivElement>(null)
  // Before the page is painted: the next key is meant for what was opened.
  useLayoutEffect(() => {
    const pop = place.current
    if (!pop) return
    if (pop.getBoundingClientRect().right > document.documentElement.clientWidth - margin)
      pop.classList.add('at-end')
    if (!pop.contains(document.activeElement))
      pop.querySelector<HTMLElement>('input, select, button')?.focus()
    const isOutside = ({ target }: Event) =>
      target instanceof Node && !pop.contains(target) && !opener.current?.contains(target)
    const left = (event: Event) => {
      if (!isOutside(event)) return
      // A field tells what was typed last when it loses the focus, and must still be there then.
      const { activeElement } = document
      if (activeElement instanceof HTMLElement && pop.contains(activeElement)) activeElement.blur()
      onClose(false)
    }
    const pressed = (event: KeyboardEvent) => {
      const isEntered =
        event.key === 'Enter' && event.target instanceof HTMLInputElement && event.target.form === null
      if (event.key !== 'Escape' && !isEntered) return
      event.preventDefault()
      opener.current?.focus()
      onClose(false)
    }
    addEventListener('pointerdown', left)
    addEventListener('focusin', left)
    addEventListener('keydown', pressed)
    return () => {
      removeEventListener('pointerdown', left)
      removeEventListener('focusin', left)
      removeEventListener('keydown', pressed)
    }
  }, [])
  return h('div', { class: 'pop', ref: place, role: 'group', 'aria-label': label }, children)
}

/** Pixels that stay free beside it. */
const margin = 8
