import type { Changes } from '../../runtime/changes.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { OutboundGuard } from '../../runtime/outbound/outbound-guard.ts'
import type { Store } from '../../store/store.ts'
import type { RenderMessageEvent } from '../event.ts'
import type { WebhookSecrets } from '../webhook-secrets.ts'

/** What the operations on events and webhooks are made from. */
export interface EventOperationsContext {
  readonly store: Store
  readonly clock: Clock
  readonly secrets: WebhookSecrets
  readonly renderMessage: RenderMessageEvent
  /** Judges the addresses that webhooks may name. */
  readonly guard: OutboundGuard
  /** Webhooks that one organization may have; null for any number. */
  readonly webhookLimit: number | null
  /** Told the id of an organization that has new events. */
  readonly eventChanges: Changes
  /** Told, after the commit, of each delivery that changed. */
  readonly deliveryChanges: Changes
  /** How many events a second arrived at a webhook over the last minute. */
  readonly rateOf: (webhookId: string) => number
  /** Told, after the commit, of the organization whose webhooks, or what they are to get, changed. */
  readonly deliver: (organizationId: string) => void
}
