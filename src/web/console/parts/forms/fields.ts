import { type ComponentChildren, h } from 'preact'
import { useId } from 'preact/hooks'

interface FieldProps {
  readonly label: string
  /** Help on what to enter, or on its meaning. */
  readonly hint?: ComponentChildren
  /** The reason why the server refused the value. */
  readonly fault?: ComponentChildren
  /** Marks the label. */
  readonly required?: boolean
}

interface TextProps extends FieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
  /** Gets what was entered when the person leaves the field, or sends the form. */
  readonly onLeave?: (value: string) => void
  readonly type?: 'text' | 'password' | 'url' | 'number' | 'search' | 'datetime-local' | 'tel'
  readonly placeholder?: string
  readonly maxLength?: number
  /** The id of a list of suggestions. */
  readonly list?: string
  /** Several lines. */
  readonly isLong?: boolean
}

/** A field for a text. Browsers neither complete nor keep what is entered. */
export function TextField({
  label,
  hint,
  fault,
  value,
  onChange,
  onLeave,
  isLong,
  type,
  ...rest
}: TextProps) {
  const id = useId()
  const props = {
    ...rest,
    id,
    value,
    autocomplete: type === 'password' ? ('new-password' as const) : ('off' as const),
    spellcheck: isLong === true,
    'aria-describedby': `${id}-hint`,
    'aria-invalid': fault !== undefined,
    onInput: (event: Event) => onChange((event.currentTarget as HTMLInputElement).value),
    onChange: (event: Event) => {
      const input = event.currentTarget as HTMLInputElement
      // A field that is removed tells this, too: then the person went elsewhere.
      queueMicrotask(() => input.isConnected && onLeave?.(input.value))
    },
  }
  const input = isLong ? h('textarea', { ...props, rows: 4 }) : h('input', { ...props, type: type ?? 'text' })
  return h(Field, { id, label, hint, fault, required: rest.required === true }, input)
}

interface ChoiceProps<T extends string> extends FieldProps {
  readonly value: T
  readonly onChange: (value: T) => void
  readonly options: readonly { readonly value: T; readonly label: string }[]
}

/** A choice of one of several. */
export function ChoiceField<T extends string>({
  label,
  hint,
  fault,
  value,
  required,
  onChange,
  options,
}: ChoiceProps<T>) {
  const id = useId()
  const change = (event: Event) => onChange((event.currentTarget as HTMLSelectElement).value as T)
  const select = h(
    'select',
    {
      id,
      value,
      onChange: change,
      'aria-describedby': `${id}-hint`,
      'aria-invalid': fault !== undefined,
    },
    options.map((option) =>
      h('option', { key: option.value, value: option.value, selected: option.value === value }, option.label),
    ),
  )
  return h(Field, { id, label, hint, fault, required: required === true }, select)
}

interface CheckProps {
  readonly label: string
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}

export function CheckField({ label, checked, onChange }: CheckProps) {
  const change = (event: Event) => onChange((event.currentTarget as HTMLInputElement).checked)
  return h('label', { class: 'check' }, h('input', { type: 'checkbox', checked, onChange: change }), label)
}

interface FileProps extends FieldProps {
  /** The media types to choose from, separated by commas; any by default. */
  readonly accept?: string
  readonly onChange: (file: File | undefined) => void
}

export function FileField({ label, hint, fault, accept, onChange }: FileProps) {
  const id = useId()
  const change = (event: Event) => onChange((event.currentTarget as HTMLInputElement).files?.[0])
  const input = h('input', { id, type: 'file', accept, onChange: change, 'aria-describedby': `${id}-hint` })
  return h(Field, { id, label, hint, fault }, input)
}

function Field({
  id,
  label,
  hint,
  fault,
  required,
  children,
}: FieldProps & { readonly id: string; readonly children?: ComponentChildren }) {
  return h(
    'div',
    { class: 'field' },
    h('label', { for: id, class: required ? 'required' : undefined }, label),
    children,
    h('p', { id: `${id}-hint`, class: fault === undefined ? 'hint' : 'fault' }, fault ?? hint),
  )
}
