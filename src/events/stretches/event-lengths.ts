import type { ExpressionBuilder } from 'kysely'
import { bytesOfColumn } from '../../store/page.ts'
import type { Schema } from '../../store/schema.ts'
import { batchStatement, rawSql, statement } from '../../store/statement.ts'
import type { Reader } from '../../store/store.ts'
import { type EventRange, rangesOf, stretchesBetween } from './read-events.ts'
import { type Between, eventsIn, eventsWith } from './stretch.ts'

/*
 * Lengths of events are read before the events, so that no more is read than what fits. A stretch of several is short, so it is
 * read as it is; of a single event only the length is.
 */

/** An event without its data, with the bytes of its data. */
export interface EventLength {
  readonly sequence: number
  readonly message_seq: number | null
  readonly labels_id: number | null
  readonly bytes: number
}

const dataOfSeveral = rawSql<string>("case when events.count > 1 then events.data else '' end")
const bytesOfData = rawSql<number>(bytesOfColumn('events.data'))

/** Selects what the lengths of the events in stretches are known by. */
export const lengthColumns = (eb: ExpressionBuilder<Schema, 'events'>) =>
  [
    'sequence',
    'count',
    'message_seqs',
    'labels_id',
    eb.cast<string>(dataOfSeveral, 'text').as('data'),
    eb.cast<number>(bytesOfData, 'integer').as('bytes'),
  ] as const

/** Returns the lengths of the events in stretches, of the first if there are more than `most`. */
export function lengthsIn(
  stretches: readonly StretchLength[],
  between?: Between,
  most?: number,
): EventLength[] {
  return eventsIn(stretches, between, most).map(lengthOf)
}

/** Returns the length of an event: that of its row if it stands there alone, since its data was not read then. */
function lengthOf({ data, bytes, ...event }: EventLength & { readonly data: string }): EventLength {
  return { ...event, bytes: data === '' ? bytes : Buffer.byteLength(data) }
}

interface StretchLength {
  readonly sequence: number
  readonly count: number
  readonly message_seqs: string | null
  readonly labels_id: number | null
  readonly data: string
  readonly bytes: number
}

const selectLengths = statement<EventRange>()((sql, argument) =>
  stretchesBetween(sql, argument).select(lengthColumns),
)

/** The lengths of the events of a range. */
export async function lengthsBetween(reader: Reader, range: EventRange): Promise<EventLength[]> {
  return lengthsIn(await reader.all(selectLengths, range), range)
}

const selectLengthsOfRanges = batchStatement({ organization: 'text', after: 'bigint', until: 'bigint' })(
  (sql, given) => stretchesBetween(sql, given).select(lengthColumns),
)

/** The lengths of the events of an organization with these numbers, in no order; those that were removed are left out. */
export async function lengthsNumbered(
  reader: Reader,
  organization: string,
  numbers: readonly number[],
): Promise<EventLength[]> {
  const stretches = await reader.allForEach(selectLengthsOfRanges, rangesOf(organization, numbers))
  return eventsWith(numbers, stretches).map(lengthOf)
}
