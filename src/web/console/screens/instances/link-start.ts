import { h } from 'preact'
import { useState } from 'preact/hooks'
import type { StartLink } from '../../../../contract/resources/instance.ts'
import { call } from '../../core/api.ts'
import type { Answer } from '../../core/operations.ts'
import { Button } from '../../parts/button.ts'
import { Failure, faultsOf } from '../../parts/failure.ts'
import { TextField } from '../../parts/forms/fields.ts'
import { useSending } from '../../parts/forms/form-dialog.ts'
import { Icon } from '../../parts/icon.ts'
import { say } from '../../words/say.ts'

interface StartProps {
  readonly name: string
  /** The ways that the network has. */
  readonly kinds: readonly ('qr' | 'code')[]
  readonly onStarted: (status: Answer<'startLink'>) => void
}

/** The ways to begin linking: by a QR code, or by a code for a phone number. */
export function LinkStart({ name, kinds, onStarted }: StartProps) {
  return [
    kinds.includes('qr') && h(ByScan, { key: 'qr', name, onStarted, isFirst: true }),
    kinds.includes('code') &&
      h(
        'div',
        { key: 'code', class: 'other-way' },
        kinds.includes('qr') && h('span', null, say('linking.no_camera')),
        h(ByPhone, { name, onStarted }),
      ),
  ]
}

interface OtherProps extends StartProps {
  /** The way that is shown already. */
  readonly kind: string | undefined
}

/** The way that is not shown yet, while a link is under way. */
export function OtherWay({ name, kinds, kind, onStarted }: OtherProps) {
  const [isOpen, setOpen] = useState(false)
  if (kind === 'code')
    return (
      kinds.includes('qr') &&
      h(
        'div',
        { class: 'other-way' },
        h('span', null, say('linking.rather_scan')),
        h(ByScan, { name, onStarted }),
      )
    )
  if (!kinds.includes('code')) return null
  return h(
    'div',
    { class: 'other-way' },
    h('span', null, say('linking.no_camera')),
    isOpen
      ? h(ByPhone, { name, onStarted })
      : h(Button, { onClick: () => setOpen(true) }, h(Icon, { name: 'hash' }), say('linking.get_code')),
  )
}

type WayProps = Pick<StartProps, 'name' | 'onStarted'>

function ByScan({ name, onStarted, isFirst }: WayProps & { readonly isFirst?: boolean }) {
  const [error, setError] = useState<unknown>()
  const start = async () => {
    setError(undefined)
    await call('startLink', { params: { name }, body: { kind: 'qr' } }).then(onStarted, setError)
  }
  return [
    h(Button, { ...(isFirst ? { look: 'primary' as const } : {}), onClick: start }, say('linking.begin_qr')),
    h(Failure, { error }),
  ]
}

function ByPhone({ name, onStarted }: WayProps) {
  const [phone, setPhone] = useState('')
  const start = async (body: StartLink) => onStarted(await call('startLink', { params: { name }, body }))
  const { error, form } = useSending(() => start({ kind: 'code', phone }))
  const fault = faultsOf(error).get('/phone')
  return h(
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
    fault === undefined && h(Failure, { error }),
  )
}
