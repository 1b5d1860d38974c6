import { bytesOfColumn, bytesOfRow, fitIntoPage, fittingAsJson, longInMessages } from '../store/page.ts'
import { batchStatement, rawSql } from '../store/statement.ts'
import type { Reader } from '../store/store.ts'
import type { EventRow } from './event.ts'
import type { EventLength } from './stretches/event-lengths.ts'

/** So few events are read without asking how long they are. */
export const fewEvents = 4

const selectMessageLengths = batchStatement({ seq: 'bigint' })((sql, given) =>
  sql
    .selectFrom('messages')
    .select((eb) => ['seq', eb.cast<number>(bytesOfRow(longInMessages), 'integer').as('bytes')])
    .where('seq', '=', given('seq')),
)

const selectLabelLengths = batchStatement({ id: 'bigint' })((sql, given) =>
  sql
    .selectFrom('instance_labels')
    .select((eb) => [
      'id',
      eb.cast<number>(rawSql<number>(bytesOfColumn('instance_labels.metadata')), 'integer').as('bytes'),
    ])
    .where('id', '=', given('id')),
)

/** Returns the number of these events, at least one, that fit on a page with the messages and labels that they show. */
export async function countThatFit(reader: Reader, events: readonly EventLength[]): Promise<number> {
  const seqs = new Set(events.flatMap(({ message_seq }) => message_seq ?? []))
  const ids = new Set(events.flatMap(({ labels_id }) => labels_id ?? []))
  const messages = await reader.allForEach(
    selectMessageLengths,
    [...seqs].map((seq) => ({ seq })),
  )
  const labels = await reader.allForEach(
    selectLabelLengths,
    [...ids].map((id) => ({ id })),
  )
  const ofMessage = new Map(messages.map(({ seq, bytes }) => [seq, bytes]))
  const ofLabels = new Map(labels.map(({ id, bytes }) => [id, bytes]))
  const all = events.map(({ message_seq, labels_id, bytes }) => ({
    bytes: bytes + (ofMessage.get(message_seq ?? -1) ?? 0) + (ofLabels.get(labels_id ?? -1) ?? 0),
  }))
  return Math.max(1, fitIntoPage(all).count)
}

/** The first of these events: as many as fit when their messages are written in JSON. */
export function fittingEvents(rows: EventRow[]): EventRow[] {
  const { count } = fittingAsJson(
    rows.map(({ about }) => about?.message ?? {}),
    longInMessages,
  )
  return rows.slice(0, count)
}
