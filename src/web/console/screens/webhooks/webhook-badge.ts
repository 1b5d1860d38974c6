import { h } from 'preact'
import type { ItemOf } from '../../core/hooks/use-pages.ts'
import { Badge } from '../../parts/badge.ts'
import { say } from '../../words/say.ts'
import type { Tone } from '../../words/statuses.ts'

export type Webhook = ItemOf<'listWebhooks'>
export type Delivery = ItemOf<'listDeliveries'>

/** The state of a webhook: the worst of what is true of it. */
export function WebhookBadge({ webhook }: { readonly webhook: Webhook }) {
  if (!webhook.enabled)
    return h(Badge, { tone: webhook.disabled_reason ? 'bad' : 'idle', text: say('webhooks.disabled') })
  if (webhook.paused) return h(Badge, { tone: 'idle', text: say('webhooks.paused') })
  if (webhook.failing_since) return h(Badge, { tone: 'attention', text: say('webhooks.failing') })
  if (webhook.lagging_since) return h(Badge, { tone: 'attention', text: say('webhooks.lagging') })
  return h(Badge, { tone: 'good', text: say('webhooks.working') })
}

/** Returns the order in which a webhook gets its events, in words. */
export function orderingText(ordering: Webhook['ordering']): string {
  return say(ordering === 'none' ? 'webhooks.no_order' : 'webhooks.in_order')
}

const tones: Readonly<Record<Delivery['status'], Tone>> = {
  pending: 'busy',
  delivered: 'good',
  failed: 'bad',
  skipped: 'idle',
}

export const deliveryStatuses = Object.keys(tones) as Delivery['status'][]

export function DeliveryBadge({ status }: { readonly status: Delivery['status'] }) {
  return h(Badge, { tone: tones[status] ?? 'idle', text: say(`webhooks.status_${status}`) })
}
