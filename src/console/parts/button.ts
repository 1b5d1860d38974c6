import { type ComponentChildren, h } from 'preact'
import { useState } from 'preact/hooks'

interface ButtonProps {
  readonly onClick: () => unknown
  readonly children?: ComponentChildren
  /** `primary` for what a screen is for, `danger` for what cannot be undone, `quiet` for what is seldom used. */
  readonly look?: 'primary' | 'danger' | 'quiet'
  readonly disabled?: boolean
  /** What it does, if its text alone does not say so. */
  readonly label?: string
}

/** A button that is busy for as long as what it began. */
export function Button({ onClick, children, look, disabled = false, label }: ButtonProps) {
  const [isBusy, setBusy] = useState(false)
  const click = async () => {
    setBusy(true)
    try {
      await onClick()
    } finally {
      setBusy(false)
    }
  }
  return h(
    'button',
    {
      type: 'button',
      class: look,
      disabled: disabled || isBusy,
      onClick: click,
      ...(label === undefined ? {} : { 'aria-label': label, title: label }),
    },
    children,
  )
}
