import { h } from 'preact'
import { useContext, useRef, useState } from 'preact/hooks'
import { SignedIn } from '../../core/me.ts'
import { goTo, linkTo } from '../../core/router.ts'
import {
  isSameQuery,
  keepViews,
  keptViews,
  maxNameOfView,
  maxViews,
  placeOfViews,
  type View,
} from '../../core/saved-views.ts'
import { say } from '../../words/say.ts'
import { TextField } from '../forms/fields.ts'
import { Icon } from '../icon.ts'
import { notify } from '../notices.ts'
import type { ListPlace } from './filters.ts'
import { Pop } from './pop.ts'

interface ViewsProps {
  readonly place: ListPlace
  /** The views that every list of this kind has. */
  readonly fixed: readonly View[]
}

/** The views of a list: those that it has, and those that the person gave a name, which this browser keeps. */
export function Views({ place: { path, query }, fixed }: ViewsProps) {
  const me = useContext(SignedIn)
  const kept = placeOfViews(path.join('-'), me?.organization?.id ?? '')
  const [views, setViews] = useState(() => keptViews(kept))
  const change = (next: readonly View[]) => {
    setViews(next)
    if (!keepViews(kept, next)) notify(say('everywhere.view_not_kept'))
  }
  const isOther = ![...fixed, ...views].some((view) => isSameQuery(view.query, query))
  const current = views.find((view) => isSameQuery(view.query, query))
  const remove = () => {
    change(views.filter((view) => view !== current))
    goTo(path, {})
  }
  const save = (name: string) => change([...views.filter((view) => view.name !== name), { name, query }])
  return h(
    'nav',
    { class: 'views', 'aria-label': say('everywhere.views') },
    h(
      'ul',
      null,
      [...fixed, ...views].map((view) =>
        h(
          'li',
          { key: view.name },
          h(
            'a',
            {
              href: linkTo(path, view.query),
              'aria-current': isSameQuery(view.query, query) ? 'page' : undefined,
            },
            view.name,
          ),
        ),
      ),
    ),
    isOther && views.length < maxViews && h(SaveView, { onSave: save }),
    current &&
      h(
        'button',
        { type: 'button', class: 'quiet view-order', onClick: remove },
        h(Icon, { name: 'trash' }),
        say('everywhere.remove_view'),
      ),
  )
}

/** A button with a field for the name of the current filters. */
function SaveView({ onSave }: { readonly onSave: (name: string) => void }) {
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const button = useRef<HTMLButtonElement>(null)
  const submit = (event: Event) => {
    event.preventDefault()
    if (name.trim() === '') return
    // The field goes with its button: the list has the focus then.
    document.getElementById('main')?.focus()
    onSave(name.trim())
  }
  return h(
    'div',
    { class: 'save-view' },
    h(
      'button',
      {
        type: 'button',
        class: 'quiet view-order',
        ref: button,
        'aria-expanded': isOpen,
        onClick: () => setOpen(!isOpen),
      },
      h(Icon, { name: 'plus' }),
      say('everywhere.save_view'),
    ),
    isOpen &&
      h(
        Pop,
        { opener: button, onClose: setOpen, label: say('everywhere.save_view') },
        h(
          'form',
          { class: 'name-view', onSubmit: submit },
          h(TextField, {
            label: say('everywhere.name_of_view'),
            value: name,
            onChange: setName,
            maxLength: maxNameOfView,
            required: true,
          }),
          h('button', { type: 'submit', class: 'primary' }, say('everywhere.save')),
        ),
      ),
  )
}
