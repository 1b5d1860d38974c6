import type { MessageEventData } from '../../src/contract/resources/event.ts'
import { renderEvent } from '../../src/events/event.ts'
import { eventsIn } from '../../src/events/stretches/stretch.ts'
import { renderMessageEvent } from '../../src/messages/message-events.ts'
import type { RowOf } from '../../src/store/schema.ts'
import { seen } from '../../src/store/tables/kept-message.ts'
import { rowsIn } from './rows.ts'

/** An event as it is in the journal. */
export interface JournalEvent {
  readonly organization: string
  readonly sequence: number
  readonly type: string
  readonly instance: string | null
  readonly data: MessageEventData
}

const journal =
  'select organizations.name as organization, events.* from events ' +
  'join organizations on organizations.id = organization_id order by organization_id, sequence'

/** All events of the Posthorn on this data folder, those of each organization in order, made of what is in its store. */
export async function journalOf(data: string): Promise<JournalEvent[]> {
  const rows = await rowsIn<RowOf<'events'> & { readonly organization: string }>(data, journal)
  // Read after the events: what they refer to was there before them.
  const messages = await rowsIn<RowOf<'messages'> & RowOf<'message_instances'>>(
    data,
    'select * from messages join message_instances on number = instance',
  )
  const labels = await rowsIn<RowOf<'instance_labels'>>(data, 'select * from instance_labels')
  const messageOf = new Map(messages.map((message) => [message.seq, seen(message)]))
  const metadataOf = new Map(labels.map(({ id, metadata }) => [id, metadata]))
  return eventsIn(rows).map((row) => {
    const message = messageOf.get(row.message_seq ?? 0)
    const about = message ? { message, metadata: metadataOf.get(row.labels_id ?? 0) ?? '{}' } : null
    if (row.message_seq !== null && !about) throw new Error('the message of an event is gone')
    const { sequence, type, data } = renderEvent({ ...row, about }, renderMessageEvent)
    const { organization, instance_name: instance } = row
    return { organization, sequence, type, instance, data: data as MessageEventData }
  })
}
