import type { EventType } from '../../contract/resources/event.ts'
import { bigint, integer, nullable, orElse, textColumn } from './columns.ts'

export const eventTables = {
  /**
   * The journal: what happened, in the order of storing. Rows never change. Each is a stretch: consecutive events that one
   * transaction appended, of one type and about one instance. An event of a message relies on the row of the message: it holds
   * only what can change about it, as it was then.
   */
  events: {
    organization_id: textColumn(),
    /** The number of its last event: its place in the order of the organization, which has no gaps. */
    sequence: bigint(),
    /** The number of its events. */
    count: orElse(integer(), 1),
    /** The history in which they were appended: with it, a number names one event for good. */
    epoch: orElse(textColumn(), ''),
    type: textColumn<EventType>(),
    /** The name of the instance that they are about. */
    instance_name: nullable(textColumn()),
    created_at: bigint(),
    /**
     * The messages that they are about, as JSON: the number of the first, and then how much larger each is than the one
     * before. Null if they are about no message.
     */
    message_seqs: nullable(textColumn()),
    /** The labels of the instance of those messages, as they were then; null if there were none. */
    labels_id: nullable(bigint()),
    /**
     * The format in which the events are made of `data`: an event has the same bytes for ever, even if later versions add to
     * events.
     */
    format: orElse(integer(), 1),
    /**
     * A line of JSON for each event, empty if it is the same as the one before: the data of the event; of a message, what can
     * change about it.
     */
    data: textColumn(),
  },
  /** The beginnings of the epochs of an organization's events: one each time the store went back to a backup. */
  epoch_starts: {
    organization_id: textColumn(),
    epoch: textColumn(),
    /** The epoch that it continues. */
    previous: textColumn(),
    /** The number of the last event that both share. */
    began_after: bigint(),
    began_at: bigint(),
  },
}
