import { h } from 'preact'
import type { ItemOf } from '../../core/hooks/use-pages.ts'
import { Badge } from '../../parts/badge.ts'
import { shortTime } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import type { Tone } from '../../words/statuses.ts'

export type Webhook = ItemOf<'listWebhooks'>
export type Delivery = ItemOf<'listDeliveries'>

/** The state of a webhook: the worst of what is true of it. */
export function WebhookBadge({ webhook }: { readonly webhook: Webhook }) {
  if (!webhook.enabled)
    return h(Badge, { tone: webhook.disabled_reason ? 'bad' : 'idle', text: say('webhooks.disabled') })
  if (webhook.paused) return h(Badge, { tone: 'idle', text: say('webhooks.paused') })
  if (webhook.failing_since) {
    const text = say('webhooks.failing_at', { time: shortTime(webhook.failing_since) })
    return h(Badge, { tone: 'attention', text })
  }
  if (webhook.lagging_since) return h(Badge, { tone: 'attention', text: say('webhooks.lagging') })
  return h(Badge, { tone: 'good', text: say('webhooks.working') })
}

/** The name of a webhook, or the host of its URL if it has none. */
export function titleOf({ name, url }: Pick<Webhook, 'name' | 'url'>): string {
  return name ?? new URL(url).host
}

/** Returns when the next attempt at what waits is made; empty if that is not known. */
export function nextAttemptText({ enabled, paused, next_attempt_at }: Webhook): string {
  if (!enabled || paused || next_attempt_at === null) return ''
  return Date.parse(next_attempt_at) <= Date.now()
    ? say('webhooks.next_soon')
    : say('webhooks.next_at', { time: shortTime(next_attempt_at) })
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

/** The state of a delivery: of one that waits, what for. */
export function DeliveryBadge({ delivery }: { readonly delivery: Delivery }) {
  const { status, attempts, next_attempt_at } = delivery
  const isRetried = status === 'pending' && attempts.length > 0
  const tone = isRetried ? 'bad' : (tones[status] ?? 'idle')
  if (status !== 'pending') return h(Badge, { tone, text: say(`webhooks.status_${status}`) })
  if (next_attempt_at === null) return h(Badge, { tone: 'idle', text: say('webhooks.waits_behind') })
  if (!isRetried) return h(Badge, { tone, text: say('webhooks.status_pending') })
  const isDue = Date.parse(next_attempt_at) <= Date.now()
  const text = isDue
    ? say('webhooks.retrying_soon')
    : say('webhooks.retrying_at', { time: shortTime(next_attempt_at) })
  return h(Badge, { tone, text })
}
