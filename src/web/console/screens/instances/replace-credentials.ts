import { h } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import type { Answer } from '../../core/operations.ts'
import { Dialog } from '../../parts/dialog.ts'
import { faultsOf } from '../../parts/faults.ts'
import { Submit } from '../../parts/forms/button.ts'
import { notify } from '../../parts/notices.ts'
import { say } from '../../words/say.ts'
import { FormFailure, focusFirstFault } from './form-faults.ts'
import { type Draft, fieldsOf, pointersOf, valueFrom } from './schema-fields.ts'
import { SchemaForm } from './schema-form.ts'

interface ReplaceProps {
  readonly name: string
  readonly network: Answer<'listNetworks'>['data'][number]
  readonly onClose: () => void
  readonly onReplaced: () => void
}

/** Asks for new credentials, as the network documents them, and replaces all that are stored. */
export function ReplaceCredentials({ name, network, onClose, onReplaced }: ReplaceProps) {
  const [draft, setDraft] = useState<Draft>({})
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const fields = fieldsOf(network.credentials, '/credentials', true)
  const faults = faultsOf(error)
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    try {
      await call('replaceCredentials', {
        params: { name },
        body: { credentials: valueFrom(fields, draft, []) ?? {} },
      })
      notify(say('instance_form.replaced'))
      onReplaced()
      onClose()
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
      focusFirstFault(form.current)
    }
  }
  return h(
    Dialog,
    { title: say('instance_form.replace'), onClose },
    h(
      'form',
      { ref: form, onSubmit: submit, noValidate: true },
      h('p', null, say('instance_form.replace_what')),
      h(SchemaForm, { network: network.network, fields, draft, onChange: setDraft, faults }),
      h(FormFailure, { error, faults, pointers: new Set(pointersOf(fields)) }),
      h(
        'footer',
        null,
        h('button', { type: 'button', onClick: onClose }, say('everywhere.cancel')),
        h(Submit, { isBusy }, say('instance_form.replace')),
      ),
    ),
  )
}
