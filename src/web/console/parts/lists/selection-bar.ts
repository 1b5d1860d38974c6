import { type ComponentChildren, h } from 'preact'
import { say } from '../../words/say.ts'
import { Icon } from '../icon.ts'
import type { Selection } from './selection.ts'

interface SelectionBarProps {
  readonly selection: Selection
  /** The rows that are shown. */
  readonly shown: number
  /** Buttons for what can be done with the selected rows. */
  readonly children?: ComponentChildren
}

/** Says how many rows are selected, and what can be done with them, over the lower edge of the page: nothing moves when it comes. */
export function SelectionBar({ selection, shown, children }: SelectionBarProps) {
  const count = selection.keys.length
  return h(
    'div',
    { class: 'selection-place' },
    h('span', { class: 'unseen', role: 'status' }, count > 0 && say('everywhere.selected', { count })),
    count > 0 &&
      h(
        'div',
        { class: 'selection-bar', role: 'group', 'aria-label': say('everywhere.selection') },
        h('strong', { 'aria-hidden': true }, say('everywhere.selected', { count })),
        count < shown &&
          h(
            'button',
            { type: 'button', class: 'link', onClick: selection.selectAll },
            say('everywhere.select_shown', { count: shown }),
          ),
        h('div', { class: 'selection-orders' }, children),
        h(
          'button',
          {
            type: 'button',
            class: 'quiet',
            onClick: selection.clear,
            'aria-label': say('everywhere.clear_selection'),
            title: say('everywhere.clear_selection'),
          },
          h(Icon, { name: 'close' }),
        ),
      ),
  )
}
