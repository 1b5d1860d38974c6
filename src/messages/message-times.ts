import type { ExpressionBuilder } from 'kysely'
import type { RowOf, Schema } from '../store/schema.ts'

/* The times of a message are kept as distances from its creation. These are the only places that know. */

const columns = {
  last_attempt_at: 'last_attempt_after',
  sent_at: 'sent_after',
  delivered_at: 'delivered_after',
  read_at: 'read_after',
  last_event_at: 'last_event_after',
} as const

type Columns = typeof columns

/** A time that a message may have, in milliseconds since the epoch. */
type MessageTime = keyof Columns

/** The column that holds it. */
export type KeptTime = Columns[MessageTime]

/** The times of a message. */
export type MessageTimes = { readonly [T in MessageTime]: RowOf<'messages'>[Columns[T]] }

const keptTimes: ReadonlySet<string> = new Set(Object.values(columns))

export const isKeptTime = (column: string): column is KeptTime => keptTimes.has(column)

/** A time of a message, in SQL. */
export const messageTime = (time: MessageTime) => (eb: ExpressionBuilder<Schema, 'messages'>) =>
  eb('messages.created_at', '+', eb.ref(`messages.${columns[time]}`))

/** A time of a message that a statement is given, as it is kept. */
export const keptTime =
  <T extends number | null>(at: T) =>
  (eb: ExpressionBuilder<Schema, 'messages'>) =>
    eb(eb.val<number | null>(at), '-', eb.ref('messages.created_at')).$castTo<T>()

/** The times of a message whose row was read as it is stored. */
export function timesOf(row: Pick<RowOf<'messages'>, 'created_at' | KeptTime>): MessageTimes {
  const at = (after: number | null) => (after === null ? null : row.created_at + after)
  return {
    last_attempt_at: at(row.last_attempt_after),
    sent_at: at(row.sent_after),
    delivered_at: at(row.delivered_after),
    read_at: at(row.read_after),
    last_event_at: row.created_at + row.last_event_after,
  }
}
