import { type ComponentChildren, h } from 'preact'
import { useEffect, useId, useLayoutEffect, useState } from 'preact/hooks'
import { useCall } from '../../core/hooks/use-call.ts'
import { usePages } from '../../core/hooks/use-pages.ts'
import { useTyped } from '../../core/hooks/use-typed.ts'
import { linkTo } from '../../core/router.ts'
import { say } from '../../words/say.ts'
import { ChoiceField, TextField } from './fields.ts'

/** The largest number of instances to choose from in a list; if there are more, one types the name. */
export const maxChoices = 100

interface InstanceFieldProps {
  readonly value: string
  readonly onChange: (name: string) => void
  /** Meaning of an empty choice. */
  readonly none: string
  readonly fault?: ComponentChildren
  /** True if nothing can be done without one: then it says so if there is none, and how one is made. */
  readonly isNeeded?: boolean
}

/** The choice of an instance: from a list, or, if there are many, by typing a part of its name. */
export function InstanceField(props: InstanceFieldProps) {
  const { value, onChange, none, fault, isNeeded = false } = props
  const { data } = useCall('listInstances', { query: { limit: maxChoices } })
  if (data?.next_cursor) return h(TypedInstance, props)
  const names = data?.data.map(({ name }) => name) ?? []
  const isMissed = isNeeded && data?.data.length === 0
  const link = h('a', { href: linkTo(['instances', 'new']) }, say('instances.create'))
  return h(ChoiceField, {
    label: say('everywhere.instance'),
    value,
    onChange,
    fault,
    none,
    hint: isMissed ? [say('send.no_instance'), ' ', link] : undefined,
    values: value === '' || names.includes(value) ? names : [...names, value],
  })
}

/** Instances that are suggested at most. */
const maxSuggested = 20

/** A field with suggestions for what is typed. That counts once it is the name of an instance, or the person leaves the field. */
function TypedInstance({ value, onChange, none, fault }: InstanceFieldProps) {
  const list = useId()
  const [search, setSearch] = useState(value)
  const [typed, setTyped] = useTyped(value, setSearch)
  const { items } = usePages('listInstances', {
    query: { limit: maxSuggested, ...(search ? { search } : {}) },
  })
  const isName = search === '' || items.some(({ name }) => name === search)
  // A person who typed on meanwhile means another.
  const isChosen = isName && search === typed.trim()
  useLayoutEffect(() => setSearch(value), [value])
  useEffect(() => {
    if (isChosen && search !== value) onChange(search)
  }, [isChosen, search])
  const leave = (text: string) => onChange(text.trim())
  const field = {
    label: say('everywhere.instance'),
    value: typed,
    placeholder: none,
    fault,
    list,
    maxLength: 200,
  }
  return h(
    'div',
    null,
    h(TextField, { ...field, onChange: setTyped, onLeave: leave }),
    h(
      'datalist',
      { id: list },
      items.map(({ name, account }) =>
        h('option', { key: name, value: name, label: account?.address ?? name }),
      ),
    ),
  )
}
