import { h } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { say } from '../../words/say.ts'
import { Icon } from '../icon.ts'
import type { Filter } from './filters.ts'
import { Pop } from './pop.ts'

interface ChipProps {
  readonly filter: Filter
  readonly onClear: () => void
}

/** A filter as a chip that says its value, with a menu below, and a button that takes it out. */
export function Chip({ filter, onClear }: ChipProps) {
  const { label, said, menu } = filter
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  const clear = () => {
    onClear()
    // The button that was pressed goes with the value.
    button.current?.focus()
  }
  return h(
    'div',
    { class: said === undefined ? 'chip' : 'chip on' },
    h(
      'button',
      {
        type: 'button',
        ref: button,
        'aria-haspopup': 'true',
        'aria-expanded': isOpen,
        onClick: () => setOpen(!isOpen),
      },
      said === undefined && h(Icon, { name: 'plus' }),
      label,
      said !== undefined && [h('span', { class: 'unseen' }, ': '), h('strong', { class: 'said' }, said)],
    ),
    said !== undefined &&
      h(
        'button',
        {
          type: 'button',
          class: 'clear-filter',
          'aria-label': say('everywhere.clear_filter', { name: label }),
          onClick: clear,
        },
        h(Icon, { name: 'close' }),
      ),
    isOpen && h(Pop, { opener: button, onClose: setOpen, label }, menu(close)),
  )
}
