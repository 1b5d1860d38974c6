import { h } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import type { Answer } from '../../core/operations.ts'
import { Failure } from '../../parts/failure.ts'
import { faultsOf } from '../../parts/faults.ts'
import { Button } from '../../parts/forms/button.ts'
import { TextField } from '../../parts/forms/fields.ts'
import { say } from '../../words/say.ts'

interface StartProps {
  readonly name: string
  /** The ways that the network has. */
  readonly kinds: readonly ('qr' | 'code')[]
  readonly onStarted: (status: Answer<'startLink'>) => void
}

/** The ways to begin linking: by a QR code, or by a code for a phone number. */
export function LinkStart({ name, kinds, onStarted }: StartProps) {
  const [phone, setPhone] = useState('')
  const [error, setError] = useState<unknown>()
  const start = async (kind: 'qr' | 'code') => {
    setError(undefined)
    const body = kind === 'qr' ? { kind } : { kind, phone }
    await call('startLink', { params: { name }, body }).then(onStarted, setError)
  }
  const fault = faultsOf(error).get('/phone')
  const submit = (event: Event) => {
    event.preventDefault()
    start('code')
  }
  return h(
    'div',
    { class: 'link-start' },
    kinds.includes('qr') &&
      h(Button, { look: 'primary', onClick: () => start('qr') }, say('linking.begin_qr')),
    kinds.includes('code') &&
      h(
        'form',
        { onSubmit: submit, noValidate: true },
        h(TextField, {
          label: say('linking.phone'),
          hint: say('linking.phone_hint'),
          type: 'tel',
          value: phone,
          fault,
          onChange: setPhone,
        }),
        h('button', { type: 'submit' }, say('linking.begin_code')),
      ),
    error !== undefined && fault === undefined && h(Failure, { error }),
  )
}
