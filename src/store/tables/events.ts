import type { EventType } from '../../contract/resources/event.ts'
import { bigint, integer, nullable, orElse, textColumn } from './columns.ts'

export const eventTables = {
  /**
   * The journal: what happened, in the order of storing. Rows never change. An event of a message relies on the row of the
   * message: it holds only what can change about it, as it was then.
   */
  events: {
    organization_id: textColumn(),
    /** The order in the organization, without gaps. */
    sequence: bigint(),
    /** The history in which it was appended: with it, a number names one event for good. */
    epoch: orElse(textColumn(), ''),
    type: textColumn<EventType>(),
    /** The name of the instance that it is about. */
    instance_name: nullable(textColumn()),
    created_at: bigint(),
    /** The message that it is about. */
    message_seq: nullable(bigint()),
    /** The labels of the instance of that message, as they were then; null if there were none. */
    labels_id: nullable(bigint()),
    /**
     * The format in which the event is made of `data`: an event has the same bytes for ever, even if later versions add to
     * events.
     */
    format: orElse(integer(), 1),
    /** JSON text: the data of the event; of a message, what can change about it. */
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
