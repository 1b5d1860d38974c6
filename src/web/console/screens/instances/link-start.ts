import { h } from 'preact'
import { useState } from 'preact/hooks'
import type { StartLink } from '../../../../contract/resources/instance.ts'
import { call } from '../../core/api.ts'
import type { Answer } from '../../core/operations.ts'
import { Button } from '../../parts/button.ts'
import { Failure, faultsOf } from '../../parts/failure.ts'
import { TextField } from '../../parts/forms/fields.ts'
import { useSending } from '../../parts/forms/form-dialog.ts'
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
  const start = async (body: StartLink) => onStarted(await call('startLink', { params: { name }, body }))
  const { error, setError, form } = useSending(() => start({ kind: 'code', phone }))
  const startByQr = () => {
    setError(undefined)
    return start({ kind: 'qr' }).catch(setError)
  }
  const fault = faultsOf(error).get('/phone')
  return h(
    'div',
    { class: 'link-start' },
    kinds.includes('qr') && h(Button, { look: 'primary', onClick: startByQr }, say('linking.begin_qr')),
    kinds.includes('code') &&
      h(
        'form',
        { ...form, noValidate: true },
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
    fault === undefined && h(Failure, { error }),
  )
}
