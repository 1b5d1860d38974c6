import { h } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { number } from '../../../browser/numbers.ts'
import { call } from '../../core/api.ts'
import { isHeld } from '../../core/held.ts'
import { bindToLink } from '../../core/router.ts'
import { Button } from '../../parts/button.ts'
import { CodeBlock, Copyable } from '../../parts/copy.ts'
import { Dialog } from '../../parts/dialog.ts'
import { Facts } from '../../parts/facts.ts'
import { ServerText } from '../../parts/failure.ts'
import { ChoiceField } from '../../parts/forms/fields.ts'
import { tell } from '../../parts/notices.ts'
import { NewsButton } from '../../parts/screen.ts'
import { ListEnd, Table } from '../../parts/table.ts'
import { Age, Time } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { deliveryFailureText } from '../../words/server-texts.ts'
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
  readonly onGone: () => void
  readonly onChange: () => void
}

/**
 * Deliveries of a webhook, newest first, live: while the person points at the rows or reads further down, they do not move.
 */
export function Deliveries({ webhook, query, onChange, ...reading }: DeliveriesProps) {
  const { id } = webhook
  const [shown, setShown] = useState<Delivery>()
  const rows = useRef<HTMLDivElement>(null)
  const { pages, news } = useDeliveries({
    ...reading,
    webhook,
    request: deliveriesRequest(id, query),
    isHeld: () => shown !== undefined || isHeld(rows.current),
  })
  const count = Number(news.count) < pageSize ? news.count : `${number(pageSize)}+`
  const showNews = () => {
    news.clear()
    onChange()
  }
  return h(
    'section',
    null,
    h(
      'div',
      { class: 'list-header' },
      h('h2', null, say('webhooks.deliveries')),
      h(NewsButton, { news, text: say('webhooks.new_deliveries', { count }), onShow: showNews }),
    ),
    h(
      'div',
      { class: 'filters' },
      h(ChoiceField<string, Delivery['status']>, {
        ...bindToLink(['webhooks', id], query)('status', true),
        label: say('everywhere.status'),
        none: say('everywhere.all'),
        values: deliveryStatuses,
        nameOf: (value) => say(`webhooks.status_${value}`),
      }),
      h(Button, { onClick: onChange }, say('everywhere.refresh')),
    ),
    h(
      'div',
      { ref: rows },
      h(Rows, { items: pages.items, onOpen: setShown }),
      h(ListEnd, { ...pages, empty: h('p', null, say('webhooks.no_deliveries')) }),
    ),
    shown &&
      h(OneDelivery, {
        delivery: pages.items.find((each) => each.id === shown.id) ?? shown,
        onClose: () => setShown(undefined),
        onRedelivered: onChange,
      }),
  )
}

interface RowsProps {
  readonly items: readonly Delivery[]
  readonly onOpen: (delivery: Delivery) => void
}

function Rows({ items, onOpen }: RowsProps) {
  return h(Table<Delivery>, {
    caption: say('webhooks.deliveries'),
    items,
    keyOf: ({ id }) => id,
    columns: [
      {
        title: say('webhooks.event'),
        cell: (delivery) => h(Button, { look: 'link', onClick: () => onOpen(delivery) }, delivery.event.type),
      },
      { title: say('everywhere.status'), cell: ({ status }) => h(DeliveryBadge, { status }) },
      { title: say('everywhere.created'), cell: ({ created_at }) => h(Time, { at: created_at }) },
      { title: say('webhooks.attempts'), cell: ({ attempts }) => number(attempts.length) },
      { title: say('webhooks.latest_answer'), cell: ({ attempts }) => answerOf(attempts.at(-1)) },
    ],
  })
}

function answerOf(attempt: Delivery['attempts'][number] | undefined): string {
  if (!attempt) return '–'
  return attempt.status === null
    ? (attempt.error?.code ?? say('webhooks.no_answer'))
    : `HTTP ${attempt.status}`
}

interface OneProps {
  readonly delivery: Delivery
  readonly onClose: () => void
  readonly onRedelivered: () => void
}

/** A delivery with the receiver's response to each attempt. */
function OneDelivery({ delivery, onClose, onRedelivered }: OneProps) {
  const { id, webhook, event, status, attempts, next_attempt_at } = delivery
  const redeliver = () =>
    tell(
      async () => {
        await call('redeliver', { params: { webhook, delivery: id } })
        onRedelivered()
        onClose()
      },
      say('webhooks.redelivered', { count: 1 }),
    )
  return h(
    Dialog,
    { title: event.type, onClose },
    h('p', { 'aria-live': 'polite' }, h(DeliveryBadge, { status })),
    h(Facts, {
      facts: {
        [say('webhooks.delivery')]: h(Copyable, { text: id }),
        [say('webhooks.event')]: h(Copyable, { text: event.id }),
        [say('webhooks.next_attempt')]: next_attempt_at ? h(Age, { at: next_attempt_at }) : undefined,
      },
    }),
    attempts.map((attempt) =>
      h(
        'section',
        { key: attempt.number },
        h('h3', null, say('webhooks.attempt', { number: attempt.number })),
        h(
          'p',
          null,
          h(Time, { at: attempt.started_at }),
          ' · ',
          answerOf(attempt),
          ' · ',
          say('webhooks.took', { ms: attempt.duration_ms }),
        ),
        attempt.error &&
          h(
            'p',
            null,
            h(ServerText, { text: deliveryFailureText(attempt.error), detail: attempt.error.detail }),
          ),
        attempt.body && h(CodeBlock, { text: attempt.body, label: say('webhooks.answer') }),
      ),
    ),
    h('footer', null, h(Button, { look: 'primary', onClick: redeliver }, say('webhooks.redeliver'))),
  )
}
