import { h } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { Message } from '../../../../contract/resources/message.ts'
import { call } from '../../core/api.ts'
import { CheckField } from '../../parts/forms/fields.ts'
import { BulkDialog } from '../../parts/lists/bulk-dialog.ts'
import { nameOf } from '../../parts/message/message-table.ts'
import { notify } from '../../parts/notices.ts'
import { say } from '../../words/say.ts'
import { canCancel } from './cancel-message.ts'
import { repeater, repeatOf } from './send-again.ts'

interface SelectionOrdersProps {
  readonly messages: readonly Message[]
  readonly onCanceled: (message: Message) => void
  /** Gets the ids of messages with which something was done. */
  readonly onDone: (ids: readonly string[]) => void
}

/** Buttons for what can be done with the selected messages; with those for which it makes no sense, nothing is done. */
export function SelectionOrders({ messages, onCanceled, onDone }: SelectionOrdersProps) {
  const [asked, setAsked] = useState<{
    readonly order: 'cancel' | 'again'
    readonly of: readonly Message[]
  }>()
  const waiting = messages.filter(canCancel)
  const repeatable = messages.filter((message) => repeatOf(message) !== 'no')
  const close = () => setAsked(undefined)
  const button = (order: 'cancel' | 'again', count: number) =>
    count > 0 &&
    h(
      'button',
      { type: 'button', onClick: () => setAsked({ order, of: messages }) },
      say(order === 'cancel' ? 'messages.cancel_selected' : 'messages.again_selected', { count }),
    )
  return [
    button('cancel', waiting.length),
    button('again', repeatable.length),
    waiting.length + repeatable.length === 0 && h('span', { class: 'small' }, say('messages.nothing_to_do')),
    asked?.order === 'cancel' &&
      h(CancelSelected, { messages: asked.of, onCanceled, onDone, onClose: close }),
    asked?.order === 'again' && h(RepeatSelected, { messages: asked.of, onDone, onClose: close }),
  ]
}

interface DialogProps extends Pick<SelectionOrdersProps, 'messages' | 'onDone'> {
  readonly onClose: () => void
}

const idOfMessage = ({ id }: Message) => id

function CancelSelected({ messages, onCanceled, onDone, onClose }: DialogProps & SelectionOrdersProps) {
  const [items] = useState(() => messages.filter(canCancel))
  const left = messages.length - items.length
  return h(
    BulkDialog<Message>,
    {
      title: say('messages.cancel_selected', { count: items.length }),
      action: say('messages.cancel_selected', { count: items.length }),
      refusal: say('messages.do_not_cancel'),
      items,
      keyOf: idOfMessage,
      nameOf,
      act: async ({ id }) => onCanceled(await call('cancelMessage', { params: { id } })),
      onDone: (ids) => {
        onDone(ids)
        if (ids.length > 0) notify(say('messages.canceled_all', { count: ids.length }))
      },
      onClose,
    },
    h('p', null, say('messages.cancel_what_selected')),
    left > 0 && h('p', { class: 'small' }, say('messages.no_longer_wait', { count: left })),
  )
}

/** Sends messages again as new ones. Those that may have arrived go only if the person says so. */
function RepeatSelected({ messages, onDone, onClose }: DialogProps) {
  const [mayDouble, setMayDouble] = useState(false)
  const repeat = useMemo(repeater, [])
  const safe = messages.filter((message) => repeatOf(message) === 'safe')
  const uncertain = messages.filter((message) => repeatOf(message) === 'may_double')
  const items = mayDouble ? messages.filter((message) => repeatOf(message) !== 'no') : safe
  const left = messages.length - safe.length - uncertain.length
  return h(
    BulkDialog<Message>,
    {
      title: say('messages.again'),
      action: say('messages.again_selected', { count: items.length }),
      refusal: say('messages.do_not_send'),
      items,
      keyOf: idOfMessage,
      nameOf,
      act: repeat,
      onDone: (ids) => {
        onDone(ids)
        if (ids.length > 0) notify(say('messages.sent_again', { count: ids.length }))
      },
      onClose,
    },
    h('p', null, say('messages.again_what')),
    uncertain.length > 0 && [
      h('p', { class: 'warning' }, say('messages.may_double', { count: uncertain.length })),
      h(CheckField, { label: say('messages.send_those_too'), checked: mayDouble, onChange: setMayDouble }),
    ],
    left > 0 && h('p', { class: 'small' }, say('messages.need_no_repeat', { count: left })),
  )
}
