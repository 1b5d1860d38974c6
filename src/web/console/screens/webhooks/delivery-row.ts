import { h } from 'preact'
import { Icon } from '../../parts/icon.ts'
import { type Selection, selectByKey } from '../../parts/lists/selection.ts'
import { Age, localTime } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { answerOf, OneDelivery } from './one-delivery.ts'
import { type Delivery, DeliveryBadge } from './webhook-badge.ts'

interface RowProps {
  readonly delivery: Delivery
  readonly url: string
  readonly isOpen: boolean
  readonly isSelected: boolean
  readonly onToggle: () => void
  readonly onSelect: Selection['toggle']
  readonly onRedelivered: () => void
}

/** A delivery with a box that selects it; its attempts open below it. */
export function DeliveryRow(props: RowProps) {
  const { delivery, url, isOpen, isSelected, onToggle, onSelect, onRedelivered } = props
  const { id, event, attempts, created_at } = delivery
  const last = attempts.at(-1)
  const look = `delivery${isOpen ? ' open' : ''}${isSelected ? ' selected' : ''}`
  return h(
    'li',
    { class: look, 'data-key': id },
    h(
      'span',
      { class: 'pick' },
      h('input', {
        type: 'checkbox',
        checked: isSelected,
        'aria-label': say('everywhere.select', { name: nameOfDelivery(delivery) }),
        onClick: (event: MouseEvent) => onSelect(id, event.shiftKey),
      }),
      h('span', { class: 'box', 'aria-hidden': true }, h(Icon, { name: 'check' })),
    ),
    h(
      'button',
      { type: 'button', 'aria-expanded': isOpen, 'aria-controls': id, onClick: onToggle },
      h('span', { class: 'delivery-state' }, h(DeliveryBadge, { delivery })),
      h('code', null, event.type),
      h('span', { class: 'small answer' }, last ? answerOf(last) : ''),
      h(
        'span',
        { class: 'small tries' },
        attempts.length > 0 && say('webhooks.attempts_made', { count: attempts.length }),
      ),
      h(Age, { at: created_at }),
    ),
    h('div', { id, hidden: !isOpen }, isOpen && h(OneDelivery, { delivery, url, onRedelivered })),
  )
}

/** A delivery among others: the type of its event, and its time. */
export function nameOfDelivery({ event, created_at }: Delivery): string {
  return `${event.type}, ${localTime(created_at)}`
}

/**
 * The keys in the list: the arrows move between the deliveries, or between their boxes, and select them with Shift; Escape selects
 * nothing.
 */
export function walkDeliveries(event: KeyboardEvent, selection: Selection): void {
  selectByKey(event, selection)
  if (event.defaultPrevented) return
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const target = event.target as HTMLElement
  const column = columns.find((each) => target.matches(each))
  if (step === undefined || column === undefined) return
  const row = target.closest('.delivery')
  const next = (step > 0 ? row?.nextElementSibling : row?.previousElementSibling) as HTMLElement | null
  event.preventDefault()
  next?.querySelector<HTMLElement>(column)?.focus()
  if (event.shiftKey && next?.dataset.key) selection.toggle(next.dataset.key, true)
}

const columns = ['.delivery > button', '.delivery > .pick > input']
