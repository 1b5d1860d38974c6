import { h } from 'preact'
import { useState } from 'preact/hooks'
import { bindTo, namesIn, TextField } from '../../../parts/forms/fields.ts'
import { say } from '../../../words/say.ts'
import { ContentDialog, type ContentFormProps, useContent } from './content-dialog.ts'

/** The contact details of one person. */
export function CardForm(props: ContentFormProps) {
  const [entered, setEntered] = useState({ name: '', phones: '', emails: '', company: '' })
  const card = () => {
    const phones = namesIn(entered.phones)
    const emails = namesIn(entered.emails)
    const company = entered.company.trim()
    return {
      name: entered.name.trim(),
      ...(phones.length > 0 ? { phones } : {}),
      ...(emails.length > 0 ? { emails } : {}),
      ...(company ? { company } : {}),
    }
  }
  const body = () => ({ ...props.common, contacts: [card()] })
  const { sending, faults } = useContent('sendContactsMessage', body, props)
  const field = bindTo(entered, setEntered, faults)
  return h(
    ContentDialog,
    { title: say('message.kinds.contacts'), sending, onClose: props.onClose },
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
  )
}
