import { type ComponentChildren, h } from 'preact'
import type { Message } from '../../../../../contract/resources/message.ts'
import { call } from '../../../core/api.ts'
import { useIdempotencyKeys } from '../../../core/idempotency-keys.ts'
import type { Network, Request } from '../../../core/operations.ts'
import { type Faults, faultsOf } from '../../../parts/failure.ts'
import { FormDialog, useSending } from '../../../parts/forms/form-dialog.ts'
import { say } from '../../../words/say.ts'

/** The operations that send what these forms make. */
type ContentId = 'sendLocationMessage' | 'sendContactsMessage' | 'sendPollMessage' | 'sendInteractiveMessage'

/** Properties of each form of a content. */
export interface ContentFormProps {
  readonly network: Network
  /** The fields of every request. */
  readonly common: { readonly instance: string; readonly to: string; readonly reply_to?: string }
  readonly onSent: (message: Message) => void
  readonly onClose: () => void
}

/** Has a form send its content. The same content has the same idempotency key. */
export function useContent<Id extends ContentId>(
  id: Id,
  body: () => NonNullable<Request<Id>['body']>,
  { onSent, onClose }: ContentFormProps,
) {
  const keys = useIdempotencyKeys()
  const sending = useSending(async () => {
    const given = body()
    const headers = { 'idempotency-key': keys.keyFor(JSON.stringify(given)) }
    const sent = await call(id, { body: given, headers } as Request<Id>)
    onClose()
    onSent(sent as Message)
  }, true)
  const faults: Faults = faultsOf(sending.error)
  return { sending, faults }
}

interface DialogProps {
  readonly title: string
  readonly sending: ReturnType<typeof useSending>
  readonly onClose: () => void
  readonly children?: ComponentChildren
}

export function ContentDialog({ title, sending, onClose, children }: DialogProps) {
  return h(FormDialog, { title, action: say('conversations.send'), sending, onClose }, children)
}

/** Returns the lines of a field that lists things, one on each. */
export function linesIn(text: string): string[] {
  return text.split('\n').flatMap((line) => line.trim() || [])
}
