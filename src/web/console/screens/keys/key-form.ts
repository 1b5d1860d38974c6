import { h } from 'preact'
import { useState } from 'preact/hooks'
import { momentOf } from '../../core/local-time.ts'
import { Dialog } from '../../parts/dialog.ts'
import { ChoiceField, TextField } from '../../parts/forms/fields.ts'
import { FormEnd } from '../../parts/forms/form-end.ts'
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
  const [name, setName] = useState('')
  const [role, setRole] = useState<NewKey['role']>('send')
  const [instances, setInstances] = useState('')
  const [expires, setExpires] = useState('')
  const [error, setError] = useState<unknown>()
  const names = instances.split(',').flatMap((each) => each.trim() || [])
  const body: NewKey = {
    role,
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    ...(names.length === 0 ? {} : { instances: names }),
    ...(expires === '' ? {} : { expires_at: momentOf(expires) }),
  }
  const create = async (event: Event) => {
    event.preventDefault()
    setError(undefined)
    await calls.create(body).then(({ key }) => onCreated(key), setError)
  }
  return h(
    Dialog,
    { title: say('keys.create_key'), onClose },
    h(
      'form',
      { onSubmit: create },
      h(TextField, { label: say('everywhere.name'), value: name, onChange: setName, maxLength: 100 }),
      h(ChoiceField<NewKey['role']>, {
        label: say('keys.role'),
        value: role,
        onChange: setRole,
        options: roles.map((value) => ({ value, label: say(`keys.role_${value}`) })),
      }),
      h(TextField, {
        label: say('keys.instances'),
        hint: say('keys.instances_hint'),
        value: instances,
        onChange: setInstances,
      }),
      h(TextField, {
        label: say('keys.expires'),
        hint: say('keys.expires_hint'),
        type: 'datetime-local',
        value: expires,
        onChange: setExpires,
      }),
      h(FormEnd, { action: say('keys.create_key'), shown: calls.shownCreate(body), error, onClose }),
    ),
  )
}
