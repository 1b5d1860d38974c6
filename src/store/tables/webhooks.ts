import type { Generated } from 'kysely'
import type { EventType } from '../../contract/resources/event.ts'
import type { WebhookOrdering } from '../../contract/resources/webhook.ts'
import type { DeliveryStatus } from '../../contract/statuses.ts'

export interface WebhooksTable {
  id: string
  organization_id: string
  url: string
  /** The types of the events that it gets, as JSON text; null for all. */
  event_types: string | null
  /** The names of the instances whose events it gets, as JSON text; null for all. */
  instance_names: string | null
  ordering: WebhookOrdering
  enabled: number
  /** 1 while it gets nothing, and its deliveries are kept for later. */
  paused: Generated<number>
  /** Number of events that are sent to it at a time, at most. */
  batch: Generated<number>
  /** Batches whose ids are before this one are no longer sent, as they were made for another order; null for none. */
  batches_since: string | null
  /** Number of its deliveries that are pending; held by the transactions that change it. */
  pending: Generated<number>
  /** Time since which it is known to lag; null while it does not. */
  lagging_since: number | null
  /** The reason why it was disabled, unless its owner did it; JSON text. */
  disabled_reason: string | null
  /** Sealed. The one before is used beside it until its time is over. */
  secret: Uint8Array
  previous_secret: Uint8Array | null
  previous_secret_until: number | null
  /** Time since which no attempt succeeded; null if the last one did. */
  failing_since: number | null
  /** It gets the events after this one. */
  begins_after: number
  created_at: number
  updated_at: number
}

/** One event for one webhook. */
export interface DeliveriesTable {
  seq: Generated<number>
  id: string
  organization_id: string
  webhook_id: string
  /** The number of the event in the organization. */
  event_sequence: number
  event_id: string
  event_type: EventType
  instance_name: string | null
  status: DeliveryStatus
  attempts: Generated<number>
  /** Number of attempts that were made before its batch was last split: the schedule of attempts starts anew after them. */
  schedule_from: Generated<number>
  /**
   * When the next attempt is made; null while an earlier delivery must come first, and once it is settled. In a batch, the
   * first of it has the time of all.
   */
  next_attempt_at: number | null
  /** The batch that it is sent with, from before the first attempt of that batch. */
  batch_id: string | null
  created_at: number
  settled_at: number | null
}

export interface DeliveryAttemptsTable {
  delivery_seq: number
  /** Counted from 1. */
  number: number
  /** The batch that was sent; null if the event was sent alone. */
  batch_id: string | null
  started_at: number
  /** In milliseconds. */
  duration: number
  /** The HTTP status of the answer; null if none came. */
  status_code: number | null
  /** Why no answer came, as JSON text. */
  error: string | null
  /** The beginning of the answer. */
  body: string | null
}
