import { h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { number } from '../../../browser/numbers.ts'
import { isHeld } from '../../core/held.ts'
import type { Pages } from '../../core/hooks/use-pages.ts'
import { idOf } from '../../core/newest-first.ts'
import { bindToLink } from '../../core/router.ts'
import { Button } from '../../parts/button.ts'
import { Card } from '../../parts/card.ts'
import { type Selection, useSelection } from '../../parts/lists/selection.ts'
import { SelectionBar } from '../../parts/lists/selection-bar.ts'
import { NewsButton } from '../../parts/screen.ts'
import { ListEnd } from '../../parts/table.ts'
import { say } from '../../words/say.ts'
import { DeliveryOrders } from './delivery-orders.ts'
import { DeliveryRow, walkDeliveries } from './delivery-row.ts'
import { useDeliveries } from './use-deliveries.ts'
import { type Delivery, deliveryStatuses, type Webhook } from './webhook-badge.ts'

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
 * Deliveries of a webhook, newest first, live: while the person points at the rows, has one open, has selected some or reads further
 * down, they do not move.
 */
export function Deliveries({ webhook, query, onChange, onShown, ...reading }: DeliveriesProps) {
  const { id } = webhook
  const [open, setOpen] = useState<string>()
  const rows = useRef<HTMLDivElement>(null)
  const isChosen = useRef(false)
  const request = deliveriesRequest(id, query)
  const { pages, news, readSoon } = useDeliveries({
    ...reading,
    webhook,
    request,
    isHeld: () => open !== undefined || isChosen.current || isHeld(rows.current),
  })
  const selection = useSelection(pages.items.map(idOf), JSON.stringify(request))
  isChosen.current = selection.keys.length > 0
  useEffect(() => onShown(pages.items), [pages.items])
  const count = Number(news.count) < pageSize ? news.count : `${number(pageSize)}+`
  const showNews = () => {
    news.clear()
    setOpen(undefined)
    onChange()
  }
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
      h(Rows, { items: pages.items, url: webhook.url, open, selection, onOpen: setOpen, onChange }),
      h(ListEnd, {
        ...pages,
        empty: h('p', null, say(query.status ? 'everywhere.nothing_found' : 'webhooks.no_deliveries')),
      }),
    ),
    h(Selected, { webhook, pages, selection, onChange, readSoon }),
  )
}

interface RowsProps extends Pick<DeliveriesProps, 'onChange'> {
  readonly items: readonly Delivery[]
  readonly url: string
  /** The id of the one that is open. */
  readonly open: string | undefined
  readonly selection: Selection
  readonly onOpen: (delivery: string | undefined) => void
}

/** The deliveries, if there are any. */
function Rows({ items, url, open, selection, onOpen, onChange }: RowsProps) {
  if (items.length === 0) return null
  return h(
    'ol',
    {
      class: 'rows deliveries',
      'aria-label': say('webhooks.deliveries'),
      onKeyDown: (event: KeyboardEvent) => walkDeliveries(event, selection),
    },
    items.map((delivery) =>
      h(DeliveryRow, {
        key: delivery.id,
        delivery,
        url,
        isOpen: open === delivery.id,
        isSelected: selection.has(delivery.id),
        onToggle: () => onOpen(open === delivery.id ? undefined : delivery.id),
        onSelect: selection.toggle,
        onRedelivered: onChange,
      }),
    ),
  )
}

interface SelectedProps extends Pick<DeliveriesProps, 'webhook' | 'onChange'> {
  readonly pages: Pages<Delivery>
  readonly selection: Selection
  readonly readSoon: () => void
}

/** The bar with what can be done with the selected deliveries. */
function Selected({ webhook, pages: { items, hasMore }, selection, onChange, readSoon }: SelectedProps) {
  const onDone = (ids: readonly string[], isAll: boolean) => {
    selection.drop(ids)
    // Those that failed stay selected, in their places.
    if (isAll) onChange()
    else readSoon()
  }
  const deliveries = items.filter(({ id }) => selection.has(id))
  return h(
    SelectionBar,
    { selection, shown: items.length },
    h(DeliveryOrders, { webhook, deliveries, hasMore, onDone }),
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
        status === '' ? say('webhooks.all_deliveries') : say(`webhooks.status_${status}`),
      ),
    ),
  )
}
