import { type ComponentChildren, h } from 'preact'
import { useId } from 'preact/hooks'
import { useTyped } from '../../core/hooks/use-typed.ts'
import type { Faults } from '../failure.ts'

interface FieldProps {
  readonly label: string
  /** Help on what to enter, or on its meaning. */
  readonly hint?: ComponentChildren
  /** The reason why the server refused the value. */
  readonly fault?: ComponentChildren
  /** Marks the label. */
  readonly required?: boolean | undefined
}

/** Properties by which a field has its value in a draft. */
interface Bound<T> {
  readonly value: T
  readonly onChange: (value: T) => void
  readonly fault: ComponentChildren
}

/** Returns a function that binds a field to the value of this name in a draft, and to the fault of the value at a pointer. */
export function bindTo<D extends object>(draft: D, onChange: (draft: D) => void, faults?: Faults) {
  return <Name extends keyof D & string>(name: Name, pointer = `/${name}`): Bound<D[Name]> => ({
    value: draft[name],
    onChange: (value) => onChange({ ...draft, [name]: value }),
    fault: faults?.get(pointer),
  })
}

/** Returns the names in a text that lists them, separated by commas. */
export function namesIn(text: string): string[] {
  return text.split(',').flatMap((name) => name.trim() || [])
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
export function TextField({ label, hint, onChange, onLeave, isLong, ...input }: TextProps) {
  const { type = 'text', fault, required, ...rest } = input
  const described = useDescription(fault)
  const props = {
    ...rest,
    ...described,
    required,
    autocomplete: type === 'password' ? ('new-password' as const) : ('off' as const),
    spellcheck: isLong === true,
    onInput: (event: Event) => onChange((event.currentTarget as HTMLInputElement).value),
    onChange: (event: Event) => {
      const input = event.currentTarget as HTMLInputElement
      // A field that is removed tells this, too: then the person went elsewhere.
      queueMicrotask(() => input.isConnected && onLeave?.(input.value))
    },
  }
  return h(
    Field,
    { id: described.id, label, hint, fault, required },
    isLong ? h('textarea', { ...props, rows: 4 }) : h('input', { ...props, type }),
  )
}

/** A field for a text whose value counts after a pause: for filters, each of which sends a request. */
export function TypedField({ value, onChange, ...rest }: TextProps) {
  const [typed, setTyped] = useTyped(value, onChange)
  return h(TextField, { ...rest, value: typed, onChange: setTyped })
}

interface ChoiceProps<T extends string, V extends T> extends FieldProps {
  readonly value: T
  readonly onChange: (value: T) => void
  readonly values: readonly V[]
  /** Returns what a value is called; by default the value itself. */
  readonly nameOf?: (value: V) => string
  /** Meaning of an empty choice, if there is one. */
  readonly none?: string
}

/** A choice of one of several. */
export function ChoiceField<T extends string, V extends T = T>(props: ChoiceProps<T, V>) {
  const { value, onChange, values, nameOf = String, none, fault } = props
  const described = useDescription(fault)
  const change = (event: Event) => onChange((event.currentTarget as HTMLSelectElement).value as T)
  const optionOf = (each: string, name: string) =>
    h('option', { key: each, value: each, selected: each === value }, name)
  return h(
    Field,
    { ...props, id: described.id },
    h(
      'select',
      { ...described, value, onChange: change },
      none !== undefined && optionOf('', none),
      values.map((each) => optionOf(each, nameOf(each))),
    ),
  )
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

export function FileField({ accept, onChange, ...props }: FileProps) {
  const described = useDescription(props.fault)
  const change = (event: Event) => onChange((event.currentTarget as HTMLInputElement).files?.[0])
  const input = h('input', { ...described, type: 'file', accept, onChange: change })
  return h(Field, { ...props, id: described.id }, input)
}

/** Ties a control to its label, and to its hint or fault. */
function useDescription(fault: ComponentChildren) {
  const id = useId()
  return { id, 'aria-describedby': `${id}-hint`, 'aria-invalid': fault !== undefined }
}

interface FrameProps extends FieldProps {
  readonly id: string
  readonly children?: ComponentChildren
}

function Field({ id, label, hint, fault, required, children }: FrameProps) {
  return h(
    'div',
    { class: 'field' },
    h('label', { for: id, class: required ? 'required' : undefined }, label),
    children,
    h('p', { id: `${id}-hint`, class: fault === undefined ? 'hint' : 'fault' }, fault ?? hint),
  )
}
