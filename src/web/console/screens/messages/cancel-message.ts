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
  /** In a list. */
  readonly isSmall?: boolean
}

/** A button that cancels a message, after asking; nothing if it no longer waits. */
export function CancelButton({ message, onCanceled, isSmall = false }: CancelProps) {
  const [isAsking, setAsking] = useState(false)
  if (message.direction !== 'outbound' || (message.status !== 'queued' && message.status !== 'sending'))
    return null
  const cancel = async () => {
    onCanceled(await call('cancelMessage', { params: { id: message.id } }))
    notify(say('messages.canceled'))
  }
  return [
    h(
      'button',
      {
        type: 'button',
        class: isSmall ? 'quiet small' : undefined,
        onClick: () => setAsking(true),
        'aria-label': say('message.cancel_message'),
      },
      isSmall ? say('everywhere.cancel') : say('message.cancel_message'),
    ),
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
