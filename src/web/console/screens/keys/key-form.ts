import { h } from 'preact'
import { useState } from 'preact/hooks'
import { momentOf } from '../../core/local-time.ts'
import { bindTo, ChoiceField, namesIn, TextField } from '../../parts/forms/fields.ts'
import { FormDialog, useSending } from '../../parts/forms/form-dialog.ts'
import { say } from '../../words/say.ts'
import type { KeyCalls, NewKey } from './key-calls.ts'

interface FormProps {
  readonly calls: KeyCalls
  readonly onClose: () => void
  readonly onCreated: (key: string) => void
}

const roles = ['read', 'send', 'admin'] as const

/** Creates a key with a role, and limits if they are wanted. */
export function KeyForm({ calls, onClose, onCreated }: FormProps) {
  const [draft, setDraft] = useState({ name: '', role: 'send' as NewKey['role'], instances: '', expires: '' })
  const field = bindTo(draft, setDraft)
  const { role } = draft
  const name = draft.name.trim()
  const instances = namesIn(draft.instances)
  const body: NewKey = {
    role,
    ...(name === '' ? {} : { name }),
    ...(instances.length === 0 ? {} : { instances }),
    ...(draft.expires === '' ? {} : { expires_at: momentOf(draft.expires) }),
  }
  const sending = useSending(async () => onCreated((await calls.create(body)).key))
  return h(
    FormDialog,
    { title: say('keys.create_key'), sending, shown: calls.shownCreate(body), onClose },
    h(TextField, { ...field('name'), label: say('everywhere.name'), maxLength: 100 }),
    h(ChoiceField<NewKey['role']>, {
      ...field('role'),
      label: say('keys.role'),
      values: roles,
      nameOf: (value) => say(`keys.role_${value}`),
    }),
    h(TextField, { ...field('instances'), label: say('keys.instances'), hint: say('keys.instances_hint') }),
    h(TextField, {
      ...field('expires'),
      label: say('keys.expires'),
      hint: say('keys.expires_hint'),
      type: 'datetime-local',
    }),
  )
}
