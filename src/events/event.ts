import type { Selectable } from 'kysely'
import type { Event } from '../contract/resources/event.ts'
import { timestamp } from '../runtime/clock.ts'
import type { Schema } from '../store/schema.ts'

/** A row of the journal, as far as it is told. */
export type EventRow = Pick<
  Selectable<Schema['events']>,
  'id' | 'type' | 'sequence' | 'epoch' | 'created_at' | 'data'
>

/** An event as callers see it, wherever they do: in the feed, in a stream, at a webhook. */
export function renderEvent(row: EventRow): Event {
  return {
    id: row.id,
    type: row.type,
    sequence: row.sequence,
    epoch: row.epoch,
    timestamp: timestamp(row.created_at),
    data: JSON.parse(row.data),
  }
}
