import { h } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import { idOf } from '../../core/newest-first.ts'
import { BulkDialog } from '../../parts/lists/bulk-dialog.ts'
import { notify } from '../../parts/notices.ts'
import { say } from '../../words/say.ts'
import { nameOfDelivery } from './delivery-row.ts'
import type { Delivery, Webhook } from './webhook-badge.ts'

interface OrdersProps {
  readonly webhook: Webhook
  /** Those that are selected. */
  readonly deliveries: readonly Delivery[]
  /** True if the list has more than is shown, of which none can be selected. */
  readonly hasMore: boolean
  /** Gets the ids of deliveries whose events are delivered again, and whether these are all that were asked for. */
  readonly onDone: (ids: readonly string[], isAll: boolean) => void
}

/** The button that delivers the events of the selected deliveries again, or why it can't be done. */
export function DeliveryOrders({ webhook, deliveries, ...props }: OrdersProps) {
  const [asked, setAsked] = useState<readonly Delivery[]>()
  const count = deliveries.filter(isOver).length
  return [
    !webhook.enabled && h('span', { class: 'small' }, say('webhooks.note_disabled')),
    webhook.enabled && count === 0 && h('span', { class: 'small' }, say('webhooks.all_wait')),
    webhook.enabled &&
      count > 0 &&
      h(
        'button',
        { type: 'button', onClick: () => setAsked(deliveries) },
        say('webhooks.redeliver_selected', { count }),
      ),
    asked &&
      h(RedeliverSelected, { ...props, webhook, deliveries: asked, onClose: () => setAsked(undefined) }),
  ]
}

/** Leaves out deliveries that still wait: they come by themselves, and would only come twice. */
const isOver = ({ status }: Delivery) => status !== 'pending'

/** Delivers the events of each again, after asking. The person learns how many wait and are left out, and the way to all others. */
function RedeliverSelected({
  webhook,
  deliveries,
  hasMore,
  onDone,
  onClose,
}: OrdersProps & { readonly onClose: () => void }) {
  const [items] = useState(() => deliveries.filter(isOver))
  const left = deliveries.length - items.length
  return h(
    BulkDialog<Delivery>,
    {
      title: say('webhooks.redeliver'),
      action: say('webhooks.redeliver_selected', { count: items.length }),
      refusal: say('webhooks.do_not_redeliver'),
      items,
      keyOf: idOf,
      nameOf: nameOfDelivery,
      act: ({ id }) => call('redeliver', { params: { webhook: webhook.id, delivery: id } }),
      onDone: (ids) => {
        onDone(ids, ids.length === items.length)
        if (ids.length > 0) notify(say('webhooks.redelivered', { count: ids.length }))
      },
      onClose,
    },
    h('p', null, say('webhooks.redeliver_what')),
    left > 0 && h('p', { class: 'small' }, say('webhooks.wait_anyway', { count: left })),
    hasMore && h('p', { class: 'small' }, say('webhooks.redeliver_rest')),
  )
}
