import { h } from 'preact'
import { Disclosure } from '../../parts/disclosure.ts'
import type { Faults } from '../../parts/failure.ts'
import { ChoiceField, TextField } from '../../parts/forms/fields.ts'
import { Prose } from '../../parts/prose.ts'
import { say } from '../../words/say.ts'
import { fieldHint, fieldName } from '../../words/server-texts.ts'
import type { Draft, SchemaField } from './schema-fields.ts'

interface SchemaFormProps {
  readonly network: string
  readonly fields: readonly SchemaField[]
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  /** Reasons why values were refused, by their pointers. */
  readonly faults: Faults
}

/** The fields that a network documents, with what it says of each. */
export function SchemaForm({ network, fields, draft, onChange, faults }: SchemaFormProps) {
  return fields.map((field) =>
    h(SchemaInput, {
      key: field.name,
      network,
      field,
      entered: draft[field.name],
      faults,
      onChange: (entered) => onChange({ ...draft, [field.name]: entered }),
    }),
  )
}

interface InputProps {
  readonly network: string
  readonly field: SchemaField
  readonly entered: string | Draft | undefined
  readonly faults: Faults
  readonly onChange: (entered: string | Draft) => void
}

function SchemaInput({ network, field, entered, faults, onChange }: InputProps) {
  if (field.kind === 'group')
    return h(Group, { network, field, entered: typeof entered === 'object' ? entered : {}, faults, onChange })
  const text = typeof entered === 'string' ? entered : ''
  const { kind, standard, isRequired } = field
  const description = hintOf(network, field)
  const common = {
    label: fieldName(network, field.name),
    hint: h(Hint, { description, standard: kind === 'choice' || kind === 'boolean' ? undefined : standard }),
    fault: faults.get(field.pointer),
    required: isRequired,
    value: text,
    onChange,
  }
  if (kind === 'choice' || kind === 'boolean')
    return h(ChoiceField<string>, { ...common, ...optionsOf(field) })
  return h(TextField, {
    ...common,
    isLong: kind === 'json',
    ...(kind === 'secret' ? { type: 'password' as const } : {}),
    ...(field.example === undefined || kind === 'secret' ? {} : { placeholder: field.example }),
  })
}

function hintOf(network: string, { name, description }: SchemaField): string | undefined {
  return fieldHint(network, name) ?? description
}

function optionsOf({ kind, options, standard, isRequired }: SchemaField) {
  const yesOrNo = { true: say('everywhere.yes'), false: say('everywhere.no') }
  const nameOf = (value: string) => (kind === 'boolean' ? yesOrNo[value as 'true' | 'false'] : value)
  const untouched =
    standard === undefined
      ? say('instance_form.not_set')
      : say('instance_form.by_default', { value: nameOf(standard) })
  return {
    none: isRequired && standard === undefined ? say('instance_form.choose') : untouched,
    values: kind === 'boolean' ? ['true', 'false'] : options,
    nameOf,
  }
}

function Hint({ description, standard }: Pick<SchemaField, 'description' | 'standard'>) {
  return [
    description !== undefined && h(Prose, { text: description }),
    standard !== undefined && h('span', null, ' ', say('instance_form.default_is', { value: standard })),
  ]
}

/** Several fields that belong together, folded away until the person needs them. */
function Group({ network, field, entered, faults, onChange }: InputProps & { readonly entered: Draft }) {
  const fault = faults.get(field.pointer)
  const description = hintOf(network, field)
  const hasFaults = [...faults.keys()].some((pointer) => pointer.startsWith(field.pointer))
  return h(
    Disclosure,
    { title: fieldName(network, field.name), isOpen: hasFaults, look: 'group' },
    description !== undefined && h('p', { class: 'hint' }, h(Prose, { text: description })),
    fault !== undefined && h('p', { class: 'fault', role: 'alert' }, fault),
    h(SchemaForm, { network, fields: field.fields, draft: entered, onChange, faults }),
  )
}
