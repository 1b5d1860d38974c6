import { h } from 'preact'
import type { EnteredCard } from '../../core/contents/card.ts'
import { say } from '../../words/say.ts'
import { bindTo, TextField } from '../forms/fields.ts'
import type { ContentFieldsProps } from './content-props.ts'

/** The contact details of one person. */
export function CardFields({ entered, onChange, faults }: ContentFieldsProps<EnteredCard>) {
  const field = bindTo(entered, onChange, faults)
  return [
    h(TextField, {
      ...field('name', '/contacts/0/name'),
      label: say('everywhere.name'),
      maxLength: 256,
      required: true,
    }),
    h(TextField, {
      ...field('phones', '/contacts/0/phones'),
      label: say('send.contents.phones'),
      hint: say('send.contents.by_commas'),
    }),
    h(TextField, {
      ...field('emails', '/contacts/0/emails'),
      label: say('send.contents.emails'),
      hint: say('send.contents.by_commas'),
    }),
    h(TextField, {
      ...field('company', '/contacts/0/company'),
      label: say('send.contents.company'),
      maxLength: 256,
    }),
  ]
}
