import { h } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../icon.ts'
import { optionsOf, walkOptions } from './option-menu.ts'
import { Pop } from './pop.ts'

interface Order {
  readonly text: string
  readonly onChoose: () => void
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
    order.onChoose()
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
      h(Pop, { opener: button, onClose: setOpen, label }, h(Orders, { label, orders, onChoose: choose })),
  )
}

interface OrdersProps extends OrderMenuProps {
  readonly onChoose: (order: Order) => void
}

function Orders({ label, orders, onChoose }: OrdersProps) {
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => optionsOf(place.current)[0]?.focus(), [])
  return h(
    'div',
    { role: 'menu', class: 'option-menu', 'aria-label': label, ref: place, onKeyDown: walkOptions },
    orders.map((order) =>
      h(
        'button',
        { key: order.text, type: 'button', role: 'menuitem', onClick: () => onChoose(order) },
        order.text,
      ),
    ),
  )
}
