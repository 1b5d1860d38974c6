import { type ComponentChildren, h } from 'preact'
import { bindToLink, changeQuery } from '../../core/router.ts'
import { ChoiceField, TypedField } from '../forms/fields.ts'
import { OptionMenu } from './option-menu.ts'

/** The place of a list, with its filters as they stand in the link. */
export interface ListPlace {
  readonly path: readonly string[]
  readonly query: Readonly<Record<string, string>>
}

/** A filter of a list. */
export interface Filter {
  /** The values in the link that it sets. */
  readonly names: readonly string[]
  readonly label: string
  /** Its value in words; undefined if it is not set. */
  readonly said: string | undefined
  /** The content of the menu below its chip. `done` closes it. */
  readonly menu: (done: () => void) => ComponentChildren
  /** The fields by which it is set in the sheet of a phone. */
  readonly fields: () => ComponentChildren
}

/** Sets filters in the link. An empty value takes one out. The history keeps what was there before. */
export function setFilters({ path }: ListPlace, values: Readonly<Record<string, string>>): void {
  changeQuery(path, values)
}

interface ChoiceFilterProps<V extends string> {
  readonly name: string
  readonly label: string
  readonly values: readonly V[]
  readonly nameOf: (value: V) => string
  /** Meaning of no choice. */
  readonly none: string
}

/** A filter by one of a few values. */
export function choiceFilter<V extends string>(place: ListPlace, props: ChoiceFilterProps<V>): Filter {
  const { name, label, values, nameOf, none } = props
  const value = place.query[name] ?? ''
  const known = values.find((each) => each === value)
  const choose = (chosen: string) => setFilters(place, { [name]: chosen })
  return {
    names: [name],
    label,
    said: value === '' ? undefined : known === undefined ? value : nameOf(known),
    menu: (done) =>
      h(OptionMenu, {
        label,
        value,
        options: [
          { value: '', text: none },
          ...values.map((each) => ({ value: each as string, text: nameOf(each) })),
        ],
        onChoose: (chosen) => {
          choose(chosen)
          done()
        },
      }),
    fields: () => h(ChoiceField<string, V>, { label, value, onChange: choose, values, nameOf, none }),
  }
}

interface TextFilterProps {
  readonly name: string
  readonly label: string
  readonly hint?: string
}

/** A filter by a text, which counts once the person pauses. */
export function textFilter(place: ListPlace, { name, label, hint }: TextFilterProps): Filter {
  const bound = bindToLink(place.path, place.query)(name)
  const leave = (text: string) => bound.onChange(text.trim())
  const field = () => h(TypedField, { ...bound, onLeave: leave, label, hint, maxLength: 255 })
  return { names: [name], label, said: place.query[name] || undefined, menu: field, fields: field }
}
