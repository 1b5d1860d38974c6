import { h } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../icon.ts'
import { optionsOf, walkOptions } from './option-menu.ts'
import { Pop } from './pop.ts'

/** An order, or a place to go to. */
export interface Order {
  readonly text: string
  readonly onChoose?: () => void
  /** The place, if it is one. */
  readonly href?: string
  /** True for what cannot be undone: it stands last, apart from the others. */
  readonly isDanger?: boolean
}

interface OrderMenuProps {
  readonly label: string
  readonly orders: readonly Order[]
}

/** A button with three dots, and below it the orders that are seldom given. */
export function OrderMenu({ label, orders }: OrderMenuProps) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const choose = (order: Order) => {
    setOpen(false)
    // A dialog that the order opens returns the focus to here.
    button.current?.focus()
    order.onChoose?.()
  }
  return h(
    'div',
    { class: 'order-menu' },
    h(
      'button',
      {
        type: 'button',
        ref: button,
        'aria-haspopup': 'menu',
        'aria-expanded': isOpen,
        'aria-label': label,
        title: label,
        onClick: () => setOpen(!isOpen),
      },
      h(Icon, { name: 'more' }),
    ),
    isOpen &&
      h(Pop, { opener: button, onClose: setOpen, label }, h(OrderItems, { label, orders, onChoose: choose })),
  )
}

interface ItemsProps extends OrderMenuProps {
  readonly onChoose: (order: Order) => void
}

/** The orders of a menu; the first one gets the focus. */
export function OrderItems({ label, orders, onChoose }: ItemsProps) {
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => optionsOf(place.current)[0]?.focus(), [])
  return h(
    'div',
    { role: 'menu', class: 'option-menu', 'aria-label': label, ref: place, onKeyDown: walkOptions },
    orders.map((order) => {
      const { text, href, isDanger } = order
      const item = { key: text, role: 'menuitem', class: isDanger ? 'danger-order' : undefined }
      return href === undefined
        ? h('button', { ...item, type: 'button', onClick: () => onChoose(order) }, text)
        : h('a', { ...item, href, onClick: () => onChoose(order) }, text)
    }),
  )
}
