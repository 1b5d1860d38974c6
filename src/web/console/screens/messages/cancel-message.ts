import { h } from 'preact'
import { useState } from 'preact/hooks'
import type { Message } from '../../../../contract/resources/message.ts'
import { call } from '../../core/api.ts'
import { Confirm } from '../../parts/forms/form-dialog.ts'
import { notify } from '../../parts/notices.ts'
import { say } from '../../words/say.ts'

interface CancelProps {
  readonly message: Message
  readonly onCanceled: (message: Message) => void
}

/** Returns true if a message has not left yet, as far as is known. */
export function canCancel({ direction, status }: Message): boolean {
  return direction === 'outbound' && (status === 'queued' || status === 'sending')
}

/** A button that cancels a message, after asking; nothing if it no longer waits. */
export function CancelButton({ message, onCanceled }: CancelProps) {
  const [isAsking, setAsking] = useState(false)
  if (!canCancel(message)) return null
  const cancel = async () => {
    onCanceled(await call('cancelMessage', { params: { id: message.id } }))
    notify(say('messages.canceled'))
  }
  return [
    h('button', { type: 'button', onClick: () => setAsking(true) }, say('message.cancel_message')),
    isAsking &&
      h(
        Confirm,
        {
          title: say('message.cancel_message'),
          action: say('message.cancel_message'),
          refusal: say('messages.do_not_cancel'),
          onConfirm: cancel,
          onClose: () => setAsking(false),
        },
        h('p', null, say('messages.cancel_what')),
      ),
  ]
}
