import { type ComponentChildren, h } from 'preact'
import { useState } from 'preact/hooks'
import { say } from '../../words/say.ts'
import { Dialog } from '../dialog.ts'
import { Failure } from '../failure.ts'
import { Submit } from './button.ts'
import { TextField } from './fields.ts'

interface ConfirmProps {
  readonly title: string
  /** Consequences of the action. */
  readonly children?: ComponentChildren
  /** Text of the button that does it. */
  readonly action: string
  /** Text of the other button, if “Cancel” could be taken for the action. */
  readonly refusal?: string
  /** A name that the person must type first: for what cannot be undone. */
  readonly typed?: string
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

/** Asks before something is done, does it, and closes; if it is refused, it says why and stays. */
export function Confirm({ title, children, action, refusal, typed, onConfirm, onClose }: ConfirmProps) {
  const [name, setName] = useState('')
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const isReady = typed === undefined || name === typed
  const confirm = async (event: Event) => {
    event.preventDefault()
    if (!isReady) return
    setBusy(true)
    try {
      await onConfirm()
      onClose()
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
    }
  }
  return h(
    Dialog,
    { title, onClose },
    h(
      'form',
      { onSubmit: confirm },
      children,
      typed !== undefined &&
        h(TextField, {
          label: say('everywhere.type_to_confirm', { name: typed }),
          value: name,
          onChange: setName,
        }),
      error !== undefined && h(Failure, { error }),
      h(
        'footer',
        null,
        h('button', { type: 'button', onClick: onClose }, refusal ?? say('everywhere.cancel')),
        h(Submit, { isBusy, disabled: !isReady, ...(typed === undefined ? {} : { look: 'danger' }) }, action),
      ),
    ),
  )
}
