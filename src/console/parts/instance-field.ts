import { h } from 'preact'
import { useId } from 'preact/hooks'
import { useCall } from '../core/use-call.ts'
import { useTyped } from '../core/use-typed.ts'
import { say } from '../words/everywhere.ts'
import { ChoiceField, TextField } from './fields.ts'

/** From how many instances on one types the name. */
const mostChoices = 100

interface InstanceFieldProps {
  readonly value: string
  readonly onChange: (name: string) => void
  /** What it means to choose none. */
  readonly none: string
  readonly fault?: string | undefined
}

/** The choice of an instance: from a list, or, where there are many, by typing its name. */
export function InstanceField({ value, onChange, none, fault }: InstanceFieldProps) {
  const list = useId()
  const [typed, setTyped] = useTyped(value, onChange)
  const { data } = useCall('listInstances', { query: { limit: mostChoices } })
  const names = data?.data.map(({ name }) => name) ?? []
  const label = say('instance')
  if (data?.next_cursor)
    return h(
      'div',
      null,
      h(TextField, { label, value: typed, onChange: setTyped, list, fault, placeholder: none }),
      h(
        'datalist',
        { id: list },
        names.map((name) => h('option', { key: name, value: name })),
      ),
    )
  const options = value === '' || names.includes(value) ? names : [...names, value]
  return h(ChoiceField, {
    label,
    value,
    onChange,
    fault,
    options: [{ value: '', label: none }, ...options.map((name) => ({ value: name, label: name }))],
  })
}
