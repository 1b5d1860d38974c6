import type { MessageEventData } from '../../src/contract/resources/event.ts'
import { rowsIn } from './rows.ts'

/** An event as it is in the journal. */
export interface JournalEvent {
  readonly organization: string
  readonly sequence: number
  readonly type: string
  readonly instance: string | null
  readonly data: MessageEventData
}

const query =
  'select organizations.name as organization, sequence, type, instance_name as instance, data from events ' +
  'join organizations on organizations.id = events.organization_id order by seq'

/** All events of the Posthorn on this data folder, in order, as they are in its store. */
export async function journalOf(data: string): Promise<JournalEvent[]> {
  const rows = await rowsIn<Omit<JournalEvent, 'data'> & { readonly data: unknown }>(data, query)
  return rows.map((row) => ({ ...row, sequence: Number(row.sequence), data: JSON.parse(String(row.data)) }))
}
