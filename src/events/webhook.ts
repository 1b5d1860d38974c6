import type { EventType } from '../contract/resources/event.ts'
import type { Webhook } from '../contract/resources/webhook.ts'
import { timestamp } from '../runtime/clock.ts'
import type { RowOf } from '../store/schema.ts'

/** The row of a webhook without its secrets. */
export type WebhookRow = Omit<
  RowOf<'webhooks'>,
  'secret' | 'previous_secret' | 'previous_secret_until' | 'batches_since'
>

/** The row of a webhook, since when its oldest pending delivery waits, and when the next one is due. */
export type WebhookState = WebhookRow & {
  readonly oldest_at: number | null
  readonly next_attempt_at: number | null
}

/** The columns of a webhook without its secrets. */
export const webhookColumns = [
  'id',
  'organization_id',
  'name',
  'url',
  'event_types',
  'instance_names',
  'ordering',
  'enabled',
  'paused',
  'batch',
  'pending',
  'lagging_since',
  'disabled_reason',
  'failing_since',
  'begins_after',
  'created_at',
  'updated_at',
] as const

/** A webhook as callers see it. `rate` is the number of deliveries that arrived per second over the last minute. */
export function renderWebhook(row: WebhookState, rate: number): Webhook {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    events: parsed(row.event_types),
    instances: parsed(row.instance_names),
    ordering: row.ordering,
    batch: row.batch,
    enabled: row.enabled === 1,
    paused: row.paused === 1,
    disabled_reason: parsed(row.disabled_reason),
    failing_since: timestamp(row.failing_since),
    pending: row.pending,
    oldest_at: timestamp(row.oldest_at),
    next_attempt_at: timestamp(row.next_attempt_at),
    rate,
    lagging_since: timestamp(row.lagging_since),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  }
}

function parsed<T>(text: string | null): T | null {
  return text === null ? null : JSON.parse(text)
}

/** A list of words as it is stored; null if it means everything. */
export function listText(words: readonly string[] | null | undefined): string | null {
  return words ? JSON.stringify(words) : null
}

/** The fields of an event that decide which webhooks get it. */
export interface EventToGive {
  readonly type: EventType
  readonly instance_name: string | null
}

/**
 * Returns a predicate: true if a webhook asked for an event. No webhook asks for a test: it goes to the tested webhook
 * alone.
 */
export function wantedBy(
  row: Pick<WebhookRow, 'event_types' | 'instance_names'>,
): (event: EventToGive) => boolean {
  const types = row.event_types === null ? null : new Set<EventType>(JSON.parse(row.event_types))
  const instances = row.instance_names === null ? null : new Set<string>(JSON.parse(row.instance_names))
  return ({ type, instance_name }) =>
    type !== 'webhook.test' &&
    (types?.has(type) ?? true) &&
    (instance_name === null || (instances?.has(instance_name) ?? true))
}
