import type { Event, EventType, MessageEventData } from '../contract/resources/event.ts'
import { timestamp } from '../runtime/clock.ts'
import { derivedId } from '../runtime/ids.ts'
import type { RowOf } from '../store/schema.ts'
import { batchStatement } from '../store/statement.ts'
import type { Reader } from '../store/store.ts'
import { type SeenOf, seen } from '../store/tables/kept-message.ts'
import type { StoredEvent } from './stretches/stretch.ts'

/** The parts of a message's event: the message as it is now, its changeable fields as they were then, and its labels then. */
export interface MessageEventParts {
  readonly type: EventType
  readonly message: Omit<SeenOf<RowOf<'messages'>>, 'instance' | `${string}_after`> &
    Pick<RowOf<'message_instances'>, 'organization_id' | 'instance_id' | 'instance_name'>
  /** JSON text. */
  readonly changeable: string
  /** JSON text. */
  readonly metadata: string
  readonly format: number
}

/** An event with everything that is needed to render it. */
export interface EventRow extends StoredEvent {
  /** Null if the event is not about a message. */
  readonly about: Pick<MessageEventParts, 'message' | 'metadata'> | null
}

/** Renders the data of a message's event. It is passed in, because messages import events and not the other way round. */
export type RenderMessageEvent = (parts: MessageEventParts) => MessageEventData

const selectMessages = batchStatement({ seq: 'bigint' })((sql, given) =>
  sql
    .selectFrom('messages')
    .innerJoin('message_instances', 'message_instances.number', 'messages.instance')
    .selectAll('messages')
    .select(['organization_id', 'instance_id', 'instance_name'])
    .where('seq', '=', given('seq')),
)

const selectLabels = batchStatement({ id: 'bigint' })((sql, given) =>
  sql.selectFrom('instance_labels').select(['id', 'metadata']).where('id', '=', given('id')),
)

/** Adds to events the messages and labels that they refer to. */
export async function withSubjects(reader: Reader, events: readonly StoredEvent[]): Promise<EventRow[]> {
  const seqs = new Set(events.flatMap(({ message_seq }) => message_seq ?? []))
  const ids = new Set(events.flatMap(({ labels_id }) => labels_id ?? []))
  const messages = new Map(
    (
      await reader.allForEach(
        selectMessages,
        [...seqs].map((seq) => ({ seq })),
      )
    ).map((row) => [row.seq, seen(row)]),
  )
  const labels = new Map(
    (
      await reader.allForEach(
        selectLabels,
        [...ids].map((id) => ({ id })),
      )
    ).map((row) => [row.id, row.metadata]),
  )
  return events.map((event) => {
    if (event.message_seq === null) return { ...event, about: null }
    const message = messages.get(event.message_seq)
    if (!message) throw new Error('a message was forgotten before its events')
    return { ...event, about: { message, metadata: labels.get(event.labels_id ?? 0) ?? '{}' } }
  })
}

/** The columns that identify an event. */
export type EventName = Pick<StoredEvent, 'organization_id' | 'epoch' | 'sequence' | 'created_at'>

/** The id of an event, derived from its number and its epoch, which never change. */
export function eventId({ organization_id, epoch, sequence, created_at }: EventName): string {
  return derivedId('evt', created_at, sequence, `${organization_id} ${epoch}`)
}

/** An event as callers see it in the feed, in a stream and at a webhook. */
export function renderEvent(row: EventRow, renderMessage: RenderMessageEvent): Event {
  const { about, data, format, type } = row
  return {
    id: eventId(row),
    type,
    sequence: row.sequence,
    epoch: row.epoch,
    timestamp: timestamp(row.created_at),
    data: about ? renderMessage({ ...about, type, changeable: data, format }) : JSON.parse(data),
  }
}
