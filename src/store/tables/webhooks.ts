import type { EventType } from '../../contract/resources/event.ts'
import type { WebhookOrdering } from '../../contract/resources/webhook.ts'
import type { DeliveryStatus } from '../../contract/statuses.ts'
import { bigint, bytes, integer, nullable, orElse, sequence, textColumn } from './columns.ts'

export const webhookTables = {
  webhooks: {
    id: textColumn(),
    organization_id: textColumn(),
    /** For people; null if it has none. */
    name: nullable(textColumn()),
    url: textColumn(),
    /** The types of the events that it gets, as JSON text; null for all. */
    event_types: nullable(textColumn()),
    /** The names of the instances whose events it gets, as JSON text; null for all. */
    instance_names: nullable(textColumn()),
    ordering: textColumn<WebhookOrdering>(),
    enabled: integer(),
    /** 1 while it gets nothing, and its deliveries are kept for later. */
    paused: orElse(integer(), 0),
    /** Number of events that are sent to it at a time, at most. */
    batch: orElse(integer(), 1),
    /** Batches whose ids are before this one are no longer sent, as they were made for another order; null for none. */
    batches_since: nullable(textColumn()),
    /** Number of its deliveries that are pending; held by the transactions that change it. */
    pending: orElse(bigint(), 0),
    /** Time since which it is known to lag; null while it does not. */
    lagging_since: nullable(bigint()),
    /** The reason why it was disabled, unless its owner did it; JSON text. */
    disabled_reason: nullable(textColumn()),
    /** Sealed. The one before is used beside it until its time is over. */
    secret: bytes(),
    previous_secret: nullable(bytes()),
    previous_secret_until: nullable(bigint()),
    /** Time since which no attempt succeeded; null if the last one did. */
    failing_since: nullable(bigint()),
    /** It gets the events after this one. */
    begins_after: bigint(),
    created_at: bigint(),
    updated_at: bigint(),
  },
  /** One event for one webhook. */
  deliveries: {
    seq: sequence(),
    id: textColumn(),
    organization_id: textColumn(),
    webhook_id: textColumn(),
    /** The number of the event in the organization. */
    event_sequence: bigint(),
    event_id: textColumn(),
    event_type: textColumn<EventType>(),
    instance_name: nullable(textColumn()),
    status: textColumn<DeliveryStatus>(),
    attempts: orElse(integer(), 0),
    /** Number of attempts that were made before its batch was last split: the schedule of attempts starts anew after them. */
    schedule_from: orElse(integer(), 0),
    /**
     * When the next attempt is made; null while an earlier delivery must come first, and once it is settled. In a batch, the
     * first of it has the time of all.
     */
    next_attempt_at: nullable(bigint()),
    /** The batch that it is sent with, from before the first attempt of that batch. */
    batch_id: nullable(textColumn()),
    created_at: bigint(),
    settled_at: nullable(bigint()),
  },
  delivery_attempts: {
    delivery_seq: bigint(),
    /** Counted from 1. */
    number: integer(),
    /** The batch that was sent; null if the event was sent alone. */
    batch_id: nullable(textColumn()),
    started_at: bigint(),
    /** In milliseconds. */
    duration: integer(),
    /** The HTTP status of the answer; null if none came. */
    status_code: nullable(integer()),
    /** Why no answer came, as JSON text. */
    error: nullable(textColumn()),
    /** The beginning of the answer. */
    body: nullable(textColumn()),
  } /** Counts of the deliveries of a webhook in an hour of UTC. The rows of a webhook are a ring: a later hour takes the place of an old one. */,
  webhook_hours: {
    organization_id: textColumn(),
    webhook_id: textColumn(),
    /** The place in the ring. */
    place: integer(),
    starts_at: bigint(),
    /** By how much the number of pending deliveries grew; negative if it shrank. */
    pending_change: orElse(bigint(), 0),
    /** Number of deliveries that arrived, and of those that did so at the first attempt. */
    delivered: orElse(bigint(), 0),
    at_once: orElse(bigint(), 0),
    /** Number of deliveries that were given up. */
    failed: orElse(bigint(), 0),
    /** Number of requests that failed. */
    failed_attempts: orElse(bigint(), 0),
  },
}
