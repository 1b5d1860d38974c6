import { h } from 'preact'
import { useState } from 'preact/hooks'
import type { Message } from '../../../../../contract/resources/message.ts'
import { call } from '../../../core/api.ts'
import {
  type ContentKind,
  contentBody,
  contentOperations,
  type EnteredContents,
  emptyContents,
} from '../../../core/contents/contents.ts'
import { useIdempotencyKeys } from '../../../core/idempotency-keys.ts'
import type { Network, Request } from '../../../core/operations.ts'
import { ContentFields } from '../../../parts/contents/content-fields.ts'
import { faultsOf } from '../../../parts/failure.ts'
import { FormDialog, useSending } from '../../../parts/forms/form-dialog.ts'
import { say } from '../../../words/say.ts'

interface DialogProps {
  readonly kind: ContentKind
  readonly network: Network
  /** The fields of every request. */
  readonly common: {
    readonly instance: string
    readonly to: string
    readonly reply_to?: string
    readonly topic?: string
  }
  readonly onSent: (message: Message) => void
  readonly onClose: () => void
}

/** The form of another content than a text or a file, in a dialog. The same content has the same idempotency key. */
export function ContentDialog({ kind, network, common, onSent, onClose }: DialogProps) {
  const [entered, onChange] = useState<EnteredContents>(emptyContents)
  const keys = useIdempotencyKeys()
  const sending = useSending(async () => {
    const body = { ...common, ...contentBody(kind, entered, network) }
    const headers = { 'idempotency-key': keys.keyFor(JSON.stringify(body)) }
    const id = contentOperations[kind]
    const sent = await call(id, { body, headers } as unknown as Request<typeof id>)
    onClose()
    onSent(sent)
  }, true)
  return h(
    FormDialog,
    { title: say(`message.kinds.${kind}`), action: say('conversations.send'), sending, onClose },
    h(ContentFields, { kind, entered, onChange, network, faults: faultsOf(sending.error) }),
  )
}
