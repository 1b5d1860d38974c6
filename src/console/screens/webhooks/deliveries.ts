import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import { number } from '../../core/language.ts'
import { goTo } from '../../core/router.ts'
import { usePages } from '../../core/use-pages.ts'
import { Button } from '../../parts/button.ts'
import { CodeBlock, Copyable } from '../../parts/copy.ts'
import { Dialog } from '../../parts/dialog.ts'
import { Facts } from '../../parts/facts.ts'
import { failureText } from '../../parts/failure.ts'
import { ChoiceField } from '../../parts/fields.ts'
import { notify } from '../../parts/notices.ts'
import { ServerText } from '../../parts/server-text.ts'
import { ListEnd, Table } from '../../parts/table.ts'
import { Age, Time } from '../../parts/time.ts'
import { deliveryFailureText } from '../../words/deliveries.ts'
import { say as sayEverywhere } from '../../words/everywhere.ts'
import { type Delivery, DeliveryBadge, deliveryStatuses } from './webhook-badge.ts'
import { say } from './words.ts'

type Query = Readonly<Record<string, string>>

/** What the list asks the server for, by the filters in the link. */
export function deliveriesRequest(webhook: string, query: Query) {
  const status = deliveryStatuses.find((each) => each === query.status)
  return { params: { webhook }, query: { limit: 50, ...(status ? { status } : {}) } }
}

interface DeliveriesProps {
  readonly webhook: string
  readonly query: Query
  /** The list is read again when this changes. */
  readonly round: number
  readonly onChange: () => void
}

/** What was sent to a webhook, newest first. */
export function Deliveries({ webhook, query, round, onChange }: DeliveriesProps) {
  const pages = usePages('listDeliveries', deliveriesRequest(webhook, query))
  const [shown, setShown] = useState<Delivery>()
  useEffect(() => {
    if (round > 0) pages.reload()
  }, [round])
  return h(
    'section',
    null,
    h('h2', null, say('deliveries')),
    h(
      'div',
      { class: 'filters' },
      h(ChoiceField, {
        label: sayEverywhere('status'),
        value: query.status ?? '',
        onChange: (chosen) => goTo(['webhooks', webhook], { status: chosen }),
        options: [
          { value: '', label: sayEverywhere('all') },
          ...deliveryStatuses.map((value) => ({ value, label: say(`status_${value}`) })),
        ],
      }),
      h(Button, { onClick: onChange }, sayEverywhere('refresh')),
    ),
    h(Table<Delivery>, {
      caption: say('deliveries'),
      items: pages.items,
      keyOf: ({ id }) => id,
      columns: [
        {
          title: say('event'),
          cell: (delivery) =>
            h(Button, { look: 'link', onClick: () => setShown(delivery) }, delivery.event.type),
        },
        { title: sayEverywhere('status'), cell: ({ status }) => h(DeliveryBadge, { status }) },
        { title: sayEverywhere('created'), cell: ({ created_at }) => h(Time, { at: created_at }) },
        { title: say('attempts'), cell: ({ attempts }) => number(attempts.length) },
        { title: say('latest_answer'), cell: ({ attempts }) => answerOf(attempts.at(-1)) },
      ],
    }),
    h(ListEnd, { ...pages, empty: h('p', null, say('no_deliveries')) }),
    shown && h(OneDelivery, { delivery: shown, onClose: () => setShown(undefined), onRedelivered: onChange }),
  )
}

function answerOf(attempt: Delivery['attempts'][number] | undefined): string {
  if (!attempt) return '–'
  return attempt.status === null ? (attempt.error?.code ?? say('no_answer')) : `HTTP ${attempt.status}`
}

interface OneProps {
  readonly delivery: Delivery
  readonly onClose: () => void
  readonly onRedelivered: () => void
}

/** A delivery with what the receiver answered each time. */
function OneDelivery({ delivery, onClose, onRedelivered }: OneProps) {
  const { id, webhook, event, status, attempts, next_attempt_at } = delivery
  const redeliver = async () => {
    try {
      await call('redeliver', { params: { webhook, delivery: id } })
      notify(say('redelivered', { count: 1 }))
      onRedelivered()
      onClose()
    } catch (error) {
      notify(failureText(error))
    }
  }
  return h(
    Dialog,
    { title: event.type, onClose },
    h('p', null, h(DeliveryBadge, { status })),
    h(Facts, {
      facts: {
        [say('delivery')]: h(Copyable, { text: id }),
        [say('event')]: h(Copyable, { text: event.id }),
        [say('next_attempt')]: next_attempt_at ? h(Age, { at: next_attempt_at }) : undefined,
      },
    }),
    attempts.map((attempt) =>
      h(
        'section',
        { key: attempt.number },
        h('h3', null, say('attempt', { number: attempt.number })),
        h(
          'p',
          null,
          h(Time, { at: attempt.started_at }),
          ' · ',
          answerOf(attempt),
          ' · ',
          say('took', { ms: attempt.duration_ms }),
        ),
        attempt.error &&
          h(
            'p',
            null,
            h(ServerText, { text: deliveryFailureText(attempt.error), detail: attempt.error.detail }),
          ),
        attempt.body && h(CodeBlock, { text: attempt.body, label: say('answer') }),
      ),
    ),
    h('footer', null, h(Button, { look: 'primary', onClick: redeliver }, say('redeliver'))),
  )
}
