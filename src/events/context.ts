import type { OutboundGuard } from '../net/guard/guard.ts'
import type { Changes } from '../runtime/changes.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { Alarms } from '../runtime/timers/alarms.ts'
import type { StoreForAll } from '../store/store.ts'
import type { RenderMessageEvent } from './event.ts'
import type { TypingNotices } from './live/typing-notices.ts'
import type { WebhookSecrets } from './webhook-secrets.ts'

/** The parts of the server that work with events and webhooks; each part of this folder takes those that it uses. */
export interface EventContext {
  readonly store: StoreForAll
  readonly clock: Clock
  readonly alarms: Pick<Alarms, 'in' | 'at'>
  readonly log: Log
  readonly webhookSecrets: WebhookSecrets
  readonly renderMessage: RenderMessageEvent
  /** Says what the error of a message means; undefined for a code that is not known. */
  readonly meaningOfError: (error: {
    readonly network: string | null
    readonly code: string
  }) => string | undefined
  /** Judges the addresses that webhooks may name. */
  readonly guard: OutboundGuard
  /** The most webhooks that an organization may have; null for any number. */
  readonly webhookLimit: number | null
  /** Notified with the id of an organization that has new events. */
  readonly eventChanges: Changes
  /** Those who type, for the streams that ask for them. */
  readonly typingNotices: Pick<TypingNotices, 'listen'>
  /** Notified after the commit with the id of each delivery that changed. */
  readonly deliveryChanges: Changes
  readonly deliverer: {
    /** Returns the number of events that arrived at a webhook per second over the last minute. */
    rateOf(webhookId: string): number
    /** Call this after the commit with the organization whose webhooks or deliveries changed. */
    deliver(organizationId: string): void
  }
}
