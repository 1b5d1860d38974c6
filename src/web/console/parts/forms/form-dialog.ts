import { type ComponentChildren, h, type RefObject } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { curlOf, type ShownCall } from '../../core/curl.ts'
import { say } from '../../words/say.ts'
import { Submit } from '../button.ts'
import { CodeBlock } from '../copy.ts'
import { Dialog } from '../dialog.ts'
import { Disclosure } from '../disclosure.ts'
import { FormFailure } from '../failure.ts'
import { TextField } from './fields.ts'

/** A form that is sent to the server. */
interface Sending {
  /** The reason why the server refused it. */
  readonly error: unknown
  readonly setError: (error: unknown) => void
  readonly isBusy: boolean
  /** Properties of the element. */
  readonly form: {
    readonly ref: RefObject<HTMLFormElement | null>
    readonly onSubmit: (event: Event) => Promise<void>
  }
  /** Leads to the first field whose value was refused, once it is drawn. */
  readonly focusFirstFault: () => void
}

/** Has a form send what was entered, and keeps the reason if that is refused; `leadsToFault` has the first faulty field focused then. */
export function useSending(send: () => unknown, leadsToFault = false): Sending {
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const ref = useRef<HTMLFormElement>(null)
  const focusFirstFault = () =>
    void setTimeout(() => ref.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
  const onSubmit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      await send()
    } catch (refusal) {
      setError(refusal)
      if (leadsToFault) focusFirstFault()
    }
    setBusy(false)
  }
  return { error, setError, isBusy, form: { ref, onSubmit }, focusFirstFault }
}

interface FormDialogProps {
  readonly title: string
  /** Text of the button that sends the form; by default the title. */
  readonly action?: string | undefined
  /** Text of the other button, if “Cancel” could be taken for the action. */
  readonly refusal?: string | undefined
  readonly sending: Sending
  /** The call that the form makes, if it is shown. */
  readonly shown?: ShownCall
  /** Fields that show themselves why their values were refused, by their pointers. The browser checks none of them then. */
  readonly pointers?: ReadonlySet<string>
  readonly isReady?: boolean
  readonly look?: 'danger' | undefined
  readonly onClose: () => void
  readonly children?: ComponentChildren
}

/** A form in a dialog, with why it was refused, and its buttons. */
export function FormDialog(props: FormDialogProps) {
  const { title, action = title, refusal = say('everywhere.cancel'), sending, shown, pointers } = props
  const { isReady = true, look, onClose, children } = props
  return h(
    Dialog,
    { title, onClose },
    h(
      'form',
      { ...sending.form, noValidate: pointers !== undefined },
      children,
      h(FormFailure, { error: sending.error, pointers }),
      shown &&
        h(
          Disclosure,
          { title: say('everywhere.call_behind') },
          h(CodeBlock, { text: curlOf(shown), label: shown.id }),
        ),
      h(
        'footer',
        null,
        h('button', { type: 'button', onClick: onClose }, refusal),
        h(Submit, { isBusy: sending.isBusy, disabled: !isReady, look }, action),
      ),
    ),
  )
}

interface ConfirmProps extends Pick<FormDialogProps, 'title' | 'refusal' | 'onClose' | 'children'> {
  /** A name that the person must type first: for what cannot be undone. */
  readonly typed?: string | undefined
  /** The name of what it is done to, which the title tells. */
  readonly about?: string | undefined
  readonly onConfirm: () => Promise<unknown>
}

/** Asks before something is done, does it, and closes; if it is refused, it says why and stays. */
export function Confirm({ typed, about, onConfirm, children, ...props }: ConfirmProps) {
  const [name, setName] = useState('')
  const isReady = typed === undefined || name === typed
  const sending = useSending(async () => {
    if (!isReady) return
    await onConfirm()
    props.onClose()
  })
  return h(
    FormDialog,
    {
      ...props,
      title: about === undefined ? props.title : `${props.title}: ${about}`,
      action: props.title,
      sending,
      isReady,
      look: typed === undefined ? undefined : 'danger',
    },
    children,
    typed !== undefined &&
      h(TextField, {
        label: say('everywhere.type_to_confirm', { name: typed }),
        value: name,
        onChange: setName,
      }),
  )
}
