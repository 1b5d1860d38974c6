import { type ComponentChildren, h } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { say } from '../words/say.ts'
import { Icon } from './icon.ts'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  /** `large` for what needs all the room that there is, `sheet` for what comes from the lower edge of a phone. */
  readonly look?: 'large' | 'sheet'
  readonly children?: ComponentChildren
}

/** A dialog over the page. It is there as long as it is drawn; the focus returns to where it came from. */
export function Dialog({ title, onClose, look, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const isGone = useRef(false)
  // Before the page is painted: the focus has returned by the time at which one can press the next key.
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    // Not if a part of the dialog has asked for the focus.
    if (dialog?.querySelector('header')?.contains(document.activeElement)) enterFirstField(dialog)
    return () => {
      isGone.current = true
      dialog?.close()
    }
  }, [])
  return h(
    'dialog',
    {
      ref: element,
      class: look,
      onClose: () => isGone.current || onClose(),
      'aria-labelledby': 'dialog-title',
    },
    h(
      'header',
      null,
      h('h2', { id: 'dialog-title' }, title),
      h(
        'button',
        { type: 'button', class: 'quiet', onClick: onClose, 'aria-label': say('everywhere.close') },
        h(Icon, { name: 'close' }),
      ),
    ),
    h('div', { class: 'dialog-body' }, children),
  )
}

/**
 * Gives the focus to the field that a form begins with, whose text is selected as if Tab had led there. What only asks for a
 * confirmation has none, and begins with the button that leaves it.
 */
function enterFirstField(dialog: HTMLElement): void {
  const fields = dialog.querySelectorAll<HTMLElement>(
    'form :is(input:not([type=file], [type=radio]:not(:checked)), select, textarea):not(:disabled)',
  )
  const first = [...fields].find((field) => field.checkVisibility())
  first?.focus()
  if (first instanceof HTMLInputElement) first.select()
}
