import type { OutboundGuard } from '../../net/guard/guard.ts'
import type { Changes } from '../../runtime/changes.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { StoreForAll } from '../../store/store.ts'
import type { RenderMessageEvent } from '../event.ts'
import type { WebhookSecrets } from '../webhook-secrets.ts'

/** The dependencies of the operations on events and webhooks. */
export interface EventOperationsContext {
  readonly store: StoreForAll
  readonly clock: Clock
  readonly secrets: WebhookSecrets
  readonly renderMessage: RenderMessageEvent
  /** Judges the addresses that webhooks may name. */
  readonly guard: OutboundGuard
  /** The most webhooks that an organization may have; null for any number. */
  readonly webhookLimit: number | null
  /** Notified with the id of an organization that has new events. */
  readonly eventChanges: Changes
  /** Notified after the commit with the id of each delivery that changed. */
  readonly deliveryChanges: Changes
  /** The number of events that arrived at a webhook per second over the last minute. */
  readonly rateOf: (webhookId: string) => number
  /** Called after the commit with the organization whose webhooks or deliveries changed. */
  readonly deliver: (organizationId: string) => void
}
