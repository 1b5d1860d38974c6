import { h } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import type { Network } from '../../core/operations.ts'
import { faultsOf } from '../../parts/failure.ts'
import { FormDialog, useSending } from '../../parts/forms/form-dialog.ts'
import { notify } from '../../parts/notices.ts'
import { say } from '../../words/say.ts'
import { type Draft, fieldsOf, pointersOf, valueFrom } from './schema-fields.ts'
import { SchemaForm } from './schema-form.ts'

interface ReplaceProps {
  readonly name: string
  readonly network: Network
  readonly onClose: () => void
  readonly onReplaced: () => void
}

/** Asks for new credentials, as the network documents them, and replaces all that are stored. */
export function ReplaceCredentials({ name, network, onClose, onReplaced }: ReplaceProps) {
  const [draft, setDraft] = useState<Draft>({})
  const fields = fieldsOf(network.credentials, '/credentials', true)
  const sending = useSending(async () => {
    const body = { credentials: valueFrom(fields, draft, []) ?? {} }
    await call('replaceCredentials', { params: { name }, body })
    notify(say('instance_form.replaced'))
    onReplaced()
    onClose()
  }, true)
  const faults = faultsOf(sending.error)
  return h(
    FormDialog,
    { title: say('instance_form.replace'), sending, pointers: new Set(pointersOf(fields)), onClose },
    h('p', null, say('instance_form.replace_what')),
    h(SchemaForm, { network: network.network, fields, draft, onChange: setDraft, faults }),
  )
}
