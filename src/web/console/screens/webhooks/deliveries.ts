import { h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { number } from '../../../browser/numbers.ts'
import { isHeld } from '../../core/held.ts'
import { bindToLink } from '../../core/router.ts'
import { Button } from '../../parts/button.ts'
import { Card } from '../../parts/card.ts'
import { NewsButton } from '../../parts/screen.ts'
import { ListEnd } from '../../parts/table.ts'
import { Age } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { answerOf, OneDelivery } from './one-delivery.ts'
import { useDeliveries } from './use-deliveries.ts'
import { type Delivery, DeliveryBadge, deliveryStatuses, type Webhook } from './webhook-badge.ts'

type Query = Readonly<Record<string, string>>

/** Deliveries that are read at once. If as many are new, there may be more than those. */
const pageSize = 50

/** Makes the request of the list, by the filters in the link. */
export function deliveriesRequest(webhook: string, query: Query) {
  const status = deliveryStatuses.find((each) => each === query.status)
  return { params: { webhook }, query: { limit: pageSize, ...(status ? { status } : {}) } }
}

interface DeliveriesProps {
  readonly webhook: Webhook
  readonly query: Query
  /** The list is read again when this changes. */
  readonly round: number
  /** While true, nothing is read again by itself. */
  readonly isPaused: boolean
  readonly onRead: (webhook: Webhook) => void
  /** Called with the deliveries that are shown. */
  readonly onShown: (deliveries: readonly Delivery[]) => void
  readonly onGone: () => void
  readonly onChange: () => void
}

/**
 * Deliveries of a webhook, newest first, live: while the person points at the rows, has one open or reads further down, they do not
 * move.
 */
export function Deliveries({ webhook, query, onChange, onShown, ...reading }: DeliveriesProps) {
  const { id } = webhook
  const [open, setOpen] = useState<string>()
  const rows = useRef<HTMLDivElement>(null)
  const { pages, news } = useDeliveries({
    ...reading,
    webhook,
    request: deliveriesRequest(id, query),
    isHeld: () => open !== undefined || isHeld(rows.current),
  })
  useEffect(() => onShown(pages.items), [pages.items])
  const count = Number(news.count) < pageSize ? news.count : `${number(pageSize)}+`
  const showNews = () => {
    news.clear()
    setOpen(undefined)
    onChange()
  }
  const toggle = (delivery: string) => setOpen(open === delivery ? undefined : delivery)
  return h(
    Card,
    {
      id: 'deliveries',
      title: say('webhooks.deliveries'),
      aside: h(Button, { onClick: onChange }, say('everywhere.refresh')),
    },
    h(
      'div',
      { class: 'delivery-bar' },
      h(StatusChoice, { webhook: id, query }),
      h(NewsButton, { news, text: say('webhooks.new_deliveries', { count }), onShow: showNews }),
    ),
    h(
      'div',
      { ref: rows },
      pages.items.length > 0 &&
        h(
          'ol',
          { class: 'rows deliveries', 'aria-label': say('webhooks.deliveries'), onKeyDown: walkDeliveries },
          pages.items.map((delivery) =>
            h(Row, {
              key: delivery.id,
              delivery,
              url: webhook.url,
              isOpen: open === delivery.id,
              onToggle: () => toggle(delivery.id),
              onRedelivered: onChange,
            }),
          ),
        ),
      h(ListEnd, {
        ...pages,
        empty: h('p', null, say(query.status ? 'everywhere.nothing_found' : 'webhooks.no_deliveries')),
      }),
    ),
  )
}

/** The choice of a status, as a row of buttons. */
function StatusChoice({ webhook, query }: { readonly webhook: string; readonly query: Query }) {
  const { value, onChange } = bindToLink(['webhooks', webhook], query)('status', true)
  const choices = ['', ...deliveryStatuses] as const
  return h(
    'div',
    { class: 'webhook-choice', role: 'group', 'aria-label': say('everywhere.status') },
    choices.map((status) =>
      h(
        'button',
        { key: status, type: 'button', 'aria-pressed': status === value, onClick: () => onChange(status) },
        status === '' ? say('everywhere.all') : say(`webhooks.status_${status}`),
      ),
    ),
  )
}

interface RowProps {
  readonly delivery: Delivery
  readonly url: string
  readonly isOpen: boolean
  readonly onToggle: () => void
  readonly onRedelivered: () => void
}

/** A delivery; its attempts open below it. */
function Row({ delivery, url, isOpen, onToggle, onRedelivered }: RowProps) {
  const { id, event, attempts, created_at } = delivery
  const last = attempts.at(-1)
  return h(
    'li',
    { class: isOpen ? 'delivery open' : 'delivery' },
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

/** The arrow keys move between the deliveries. */
function walkDeliveries(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const button = (event.target as HTMLElement).closest('.delivery > button')
  if (step === undefined || !button) return
  const row = button.parentElement
  const next = step > 0 ? row?.nextElementSibling : row?.previousElementSibling
  event.preventDefault()
  next?.querySelector('button')?.focus()
}
