import { h } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import { fromHere } from '../../core/router.ts'
import { Confirm } from '../../parts/forms/form-dialog.ts'
import { OrderMenu } from '../../parts/lists/order-menu.ts'
import { notify } from '../../parts/notices.ts'
import { say } from '../../words/say.ts'

interface PersonProps {
  readonly instance: string
  readonly address: string
  /** The name of the person, or else the address. */
  readonly name: string
  /** The person is being forgotten. */
  readonly onForgotten: () => void
}

/** The orders about the person of a conversation that are seldom given: to forget them. */
export function PersonOrders(props: PersonProps) {
  const [isOpen, setOpen] = useState(false)
  const order = { text: `${say('conversations.forget')}…`, onChoose: () => setOpen(true), isDanger: true }
  return [
    h(OrderMenu, { key: 'menu', label: say('conversations.more_orders'), orders: [order] }),
    isOpen && h(ForgetDialog, { key: 'dialog', ...props, onClose: () => setOpen(false) }),
  ]
}

/** Asks before a person is forgotten, and says what is lost and what is not. The server does it in parts, so the page leads away. */
function ForgetDialog({
  instance,
  address,
  name,
  onForgotten,
  onClose,
}: PersonProps & { readonly onClose: () => void }) {
  const onConfirm = async () => {
    const goOn = fromHere()
    await call('forgetContact', { params: { name: instance, address } })
    onForgotten()
    notify(say('conversations.forgetting', { name }))
    goOn(['conversations'])
  }
  return h(
    Confirm,
    { title: say('conversations.forget'), typed: address, onConfirm, onClose },
    h('p', null, say('conversations.forget_what')),
    h('p', null, say('conversations.forget_kept')),
  )
}
