import type { Generated } from 'kysely'
import type { EventType } from '../../contract/resources/event.ts'

/**
 * The journal: what happened, in the order of storing. Rows never change. An event of a message relies on the row of the
 * message: it holds only what can change about it, as it was then.
 */
export interface EventsTable {
  organization_id: string
  /** The order in the organization, without gaps. */
  sequence: number
  /** The history in which it was appended: with it, a number names one event for good. */
  epoch: Generated<string>
  type: EventType
  /** The name of the instance that it is about. */
  instance_name: string | null
  created_at: number
  /** The message that it is about. */
  message_seq: number | null
  /** The labels of the instance of that message, as they were then; null if there were none. */
  labels_id: number | null
  /** How the event is made of `data`: an event has the same bytes for ever, whatever later versions add to events. */
  format: Generated<number>
  /** JSON text: the data of the event; of a message, what can change about it. */
  data: string
}

/** Where an epoch of an organization's events begins: whenever the store went back to a backup. */
export interface EpochStartsTable {
  organization_id: string
  epoch: string
  /** The epoch that it continues. */
  previous: string
  /** The number of the last event that both share. */
  began_after: number
  began_at: number
}
