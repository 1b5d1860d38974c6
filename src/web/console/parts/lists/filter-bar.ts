import { type ComponentChildren, h } from 'preact'
import { useState } from 'preact/hooks'
import { bindToLink } from '../../core/router.ts'
import { say } from '../../words/say.ts'
import { Dialog } from '../dialog.ts'
import { TypedField } from '../forms/fields.ts'
import { Icon } from '../icon.ts'
import { Chip } from './chip.ts'
import { type Filter, type ListPlace, setFilters } from './filters.ts'

interface FilterBarProps {
  readonly place: ListPlace
  readonly filters: readonly Filter[]
  /** The field that is always there: the name of its value in the link, and what is searched. */
  readonly search?: { readonly name: string; readonly label: string }
  /** Beside the chips: what else concerns the whole list. */
  readonly children?: ComponentChildren
}

/** The filters of a list: as chips below its search, and on a phone in a sheet. They stand in the link. */
export function FilterBar({ place, filters, search, children }: FilterBarProps) {
  const [isOpen, setOpen] = useState(false)
  const set = filters.filter(({ said }) => said !== undefined)
  const clear = () => setFilters(place, emptied(filters))
  return h(
    'div',
    { role: 'search', class: 'filter-bar' },
    search && h(SearchField, { place, ...search }),
    h(
      'button',
      {
        type: 'button',
        class: 'open-filters',
        'aria-haspopup': 'dialog',
        'aria-expanded': isOpen,
        onClick: () => setOpen(true),
      },
      h(Icon, { name: 'filter' }),
      say('everywhere.filters'),
      set.length > 0 && [
        h('span', { class: 'unseen' }, ' · '),
        h('span', { class: 'filter-count' }, set.length),
      ],
    ),
    h(
      'div',
      { class: 'chips' },
      h(
        'div',
        { class: 'chips', role: 'group', 'aria-label': say('everywhere.filters') },
        filters.map((filter) =>
          h(Chip, {
            key: filter.names[0],
            filter,
            onClear: () => setFilters(place, emptied([filter])),
          }),
        ),
      ),
      set.length > 0 &&
        h(
          'button',
          { type: 'button', class: 'quiet clear-filters', onClick: clear },
          say('everywhere.clear_filters'),
        ),
    ),
    children,
    isOpen && h(FilterSheet, { filters, onClear: clear, onClose: () => setOpen(false) }),
  )
}

function emptied(filters: readonly Filter[]): Readonly<Record<string, string>> {
  return Object.fromEntries(filters.flatMap(({ names }) => names.map((name) => [name, ''])))
}

interface SearchFieldProps {
  readonly place: ListPlace
  readonly name: string
  readonly label: string
}

function SearchField({ place: { path, query }, name, label }: SearchFieldProps) {
  return h(
    'div',
    { class: 'search-field' },
    h(Icon, { name: 'search' }),
    h(TypedField, {
      ...bindToLink(path, query)(name),
      label,
      placeholder: label,
      type: 'search',
      maxLength: 200,
    }),
  )
}

interface SheetProps {
  readonly filters: readonly Filter[]
  readonly onClear: () => void
  readonly onClose: () => void
}

/** All filters as fields, from the lower edge of a phone. What is set holds at once. */
function FilterSheet({ filters, onClear, onClose }: SheetProps) {
  return h(
    Dialog,
    { title: say('everywhere.filters'), look: 'sheet', onClose },
    filters.map(({ names, fields }) => h('div', { key: names[0] }, fields())),
    h(
      'footer',
      null,
      h('button', { type: 'button', onClick: onClear }, say('everywhere.clear_filters')),
      h('button', { type: 'button', class: 'primary', onClick: onClose }, say('everywhere.show_found')),
    ),
  )
}
