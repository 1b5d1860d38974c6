import { type ComponentChildren, h } from 'preact'
import type { Shown } from './visit.ts'

interface PressProps {
  readonly shown: Shown
  readonly look?: 'primary' | 'danger'
  readonly onPress: () => unknown
  readonly children?: ComponentChildren
}

/** A button. It can be pressed at any time, as a disabled one loses the focus. */
export function Press({ shown, look, onPress, children }: PressProps) {
  return h(
    'button',
    { type: 'button', class: look, 'aria-disabled': shown.isBusy, onClick: onPress },
    children,
  )
}
