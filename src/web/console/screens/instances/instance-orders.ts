import { h } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import type { Me } from '../../core/me.ts'
import type { Answer, Network } from '../../core/operations.ts'
import { fromHere, goTo, linkTo } from '../../core/router.ts'
import { Button } from '../../parts/button.ts'
import { Confirm } from '../../parts/forms/form-dialog.ts'
import { type Order, OrderMenu } from '../../parts/lists/order-menu.ts'
import { notify } from '../../parts/notices.ts'
import { say } from '../../words/say.ts'
import { ordersFor } from './possible-orders.ts'
import { ReplaceCredentials } from './replace-credentials.ts'

interface OrdersProps {
  readonly me: Me
  readonly instance: Answer<'getInstance'>
  readonly network: Network | undefined
  readonly reload: () => void
  readonly onRefused: (error: unknown) => void
  /** True if the person came to mend the connection: the dialog for it is open then, if a dialog does it. */
  readonly isMending: boolean
}

/** An order that is given in a dialog. */
type Opened = 'remove' | 'log_out' | 'replace'

/** Buttons that stand beside the title; the other orders wait in the menu. */
const maxButtons = 2

/** Everything that can be done with an instance: the next steps as buttons, and the rest in a menu. */
export function Orders({ me, instance, network, reload, onRefused, isMending }: OrdersProps) {
  const [open, setOpen] = useState<Opened | undefined>(() =>
    isMending && needsCredentials(me, instance, network) ? 'replace' : undefined,
  )
  const order = (id: 'startInstance' | 'stopInstance' | 'restartInstance') => async () => {
    onRefused(undefined)
    await call(id, { params: { name: instance.name } }).catch(onRefused)
    reload()
  }
  const orders = ordersOf({ me, instance, network, order, onOpen: setOpen })
  const close = () => {
    setOpen(undefined)
    // Another visit does not begin with the dialog.
    if (isMending) goTo(['instances', instance.name], {}, true)
  }
  const seldom = orders.slice(maxButtons)
  return [
    orders
      .slice(0, maxButtons)
      .map((each, at) => h(OrderButton, { key: each.text, order: each, isFirst: at === 0 })),
    seldom.length > 0 && h(OrderMenu, { key: 'more', label: say('instances.more_orders'), orders: seldom }),
    open && h(OpenDialog, { key: 'dialog', open, instance, network, reload, onClose: close }),
  ]
}

interface Given extends Pick<OrdersProps, 'me' | 'instance' | 'network'> {
  readonly order: (id: 'startInstance' | 'stopInstance' | 'restartInstance') => () => Promise<void>
  readonly onOpen: (opened: Opened) => void
}

const hasCredentials = (network: Network | undefined) =>
  Object.keys(network?.credentials.properties ?? {}).length > 0

function needsCredentials(
  me: Me,
  { action }: OrdersProps['instance'],
  network: Network | undefined,
): boolean {
  return me.key?.role === 'admin' && action === 'relink' && hasCredentials(network)
}

/** Returns all that can be done, the next step first. */
function ordersOf({ me, instance, network, order, onOpen }: Given): readonly Order[] {
  const { name, status, action } = instance
  const isAdmin = me.key?.role === 'admin' && status !== 'deleting'
  const possible = isAdmin ? ordersFor(instance) : []
  const start = possible.includes('start') && {
    text: say('instances.start'),
    onChoose: order('startInstance'),
  }
  const replaceBy = (text: string) =>
    isAdmin && hasCredentials(network) && { text, onChoose: () => onOpen('replace') }
  // It starts again only with other credentials, or once it was linked.
  const needsOther = action === 'relink'
  const given: readonly (Order | false | undefined)[] = [
    needsOther ? replaceBy(say('instance_form.replace')) : start,
    me.key?.role !== 'read' && {
      text: say('instances.send_test'),
      href: linkTo(['send'], { instance: name }),
    },
    network?.abilities.groups.includes('list') && {
      text: say('groups.title'),
      href: linkTo(['groups'], { instance: name }),
    },
    needsOther && start,
    possible.includes('restart') && { text: say('instances.restart'), onChoose: order('restartInstance') },
    possible.includes('stop') && { text: say('instances.stop'), onChoose: order('stopInstance') },
    !needsOther && replaceBy(`${say('instance_form.replace')}…`),
    isAdmin &&
      network?.abilities.logs_out &&
      status === 'connected' && { text: `${say('instances.log_out')}…`, onChoose: () => onOpen('log_out') },
    isAdmin && { text: `${say('instances.remove')}…`, onChoose: () => onOpen('remove'), isDanger: true },
  ]
  return given.filter((each) => each !== false && each !== undefined)
}

/** An order as a button: the first one is what the page is for, if it is no place to go to. */
function OrderButton({ order, isFirst }: { readonly order: Order; readonly isFirst: boolean }) {
  const { text, href, onChoose } = order
  if (href !== undefined) return h('a', { class: 'button', href }, text)
  return h(Button, { onClick: () => onChoose?.(), ...(isFirst && { look: 'primary' as const }) }, text)
}

interface DialogProps extends Pick<OrdersProps, 'instance' | 'network' | 'reload'> {
  readonly open: Opened
  readonly onClose: () => void
}

/** The dialog of the order that was chosen. */
function OpenDialog({ open, instance, network, reload, onClose }: DialogProps) {
  const { name } = instance
  const request = { params: { name } }
  if (open === 'replace')
    return network ? h(ReplaceCredentials, { name, network, onClose, onReplaced: reload }) : null
  const remove = async () => {
    const goOn = fromHere()
    await call('deleteInstance', request)
    notify(say('instances.removed', { name }))
    goOn(['instances'])
  }
  const logOut = async () => {
    await call('logOutInstance', request)
    reload()
  }
  const isRemoving = open === 'remove'
  return h(
    Confirm,
    {
      title: say(`instances.${open}`),
      typed: isRemoving ? name : undefined,
      onConfirm: isRemoving ? remove : logOut,
      onClose,
    },
    h('p', null, say(`instances.${open}_what`)),
  )
}
