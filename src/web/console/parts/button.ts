import { type ComponentChildren, h } from 'preact'
import { useState } from 'preact/hooks'

interface ButtonProps {
  readonly onClick: () => unknown
  readonly children?: ComponentChildren
  /** `primary` for what a screen is for, `quiet` for what is seldom used, `danger` for what cannot be undone, `link` for what shows more of a row. */
  readonly look?: 'primary' | 'quiet' | 'danger' | 'link'
  readonly disabled?: boolean
  /** The effect of the button, if its text alone does not tell it. */
  readonly label?: string
}

/** A button that is busy for as long as what it began: it does nothing then, and keeps the focus, which a disabled one loses. */
export function Button({ onClick, children, look, disabled = false, label }: ButtonProps) {
  const [isBusy, setBusy] = useState(false)
  const click = async () => {
    if (isBusy) return
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
      disabled,
      'aria-disabled': isBusy,
      onClick: click,
      ...(label === undefined ? {} : { 'aria-label': label, title: label }),
    },
    children,
  )
}

interface SubmitProps {
  /** True while the form is being sent: the button does nothing then, nor does Enter in a field, and keeps the focus. */
  readonly isBusy: boolean
  readonly children?: ComponentChildren
  readonly look?: 'danger' | undefined
  readonly disabled?: boolean
}

/** The button that sends a form. */
export function Submit({ isBusy, children, look, disabled = false }: SubmitProps) {
  const click = (event: Event) => isBusy && event.preventDefault()
  return h(
    'button',
    { type: 'submit', class: look ?? 'primary', disabled, 'aria-disabled': isBusy, onClick: click },
    children,
  )
}
