import { type RowOf, tables } from '../store/schema.ts'
import type { Sql } from '../store/statement.ts'
import { type KeptOf, seen } from '../store/tables/kept-message.ts'
import type { WaitingStatus } from '../store/tables/messages.ts'
import { type MessageRow, withInstance } from './message.ts'
import { isKeptTime, type KeptTime, messageTime } from './message-times.ts'

/*
 * A message as it is now: while it is not settled, its row in the outbox says what can change about it.
 */

/** The row of a message as it is now, and whether an attempt is under way, or one may have arrived. */
export interface CurrentMessage
  extends MessageRow,
    Pick<RowOf<'messages'>, 'instance'>,
    Pick<RowOf<'outbox'>, 'underway' | 'uncertain'> {}

/** The same as it is read. */
interface ReadMessage extends KeptOf<CurrentMessage> {
  /** Its status in the outbox; null for a message that is settled. */
  readonly waiting: WaitingStatus | null
}

/** The columns that the outbox says until the message is settled; those of the message have no value until then. */
const changing = ['attempts', 'error', 'awaits_file'] as const
const changingTimes = ['last_attempt_at', 'delivered_at', 'read_at'] as const

type Changing = (typeof changing)[number]
type Unchanging = Exclude<keyof RowOf<'messages'>, Changing | KeptTime>

const unchanging = Object.keys(tables.messages).filter(
  (name) => !(changing as readonly string[]).includes(name) && !isKeptTime(name),
) as Unchanging[]

/** Messages with their instances, beside what the outbox says of them. */
export function withOutbox(sql: Pick<Sql, 'selectFrom'>) {
  return withInstance(sql).leftJoin('outbox', 'outbox.seq', 'messages.seq')
}

/** Whole messages as they are now, to be read by `currentMessage`. */
export function currentMessages(sql: Pick<Sql, 'selectFrom'>) {
  return withOutbox(sql)
    .select(unchanging.map((column) => `messages.${column}` as const))
    .select(['organization_id', 'instance_id', 'instance_name'])
    .select((eb) =>
      changing.map((column) => eb.fn.coalesce(`outbox.${column}`, `messages.${column}`).as(column)),
    )
    .select((eb) =>
      changingTimes.map((time) => eb.fn.coalesce(`outbox.${time}`, messageTime(time)(eb)).as(time)),
    )
    .select([
      (eb) => messageTime('sent_at')(eb).as('sent_at'),
      (eb) => messageTime('last_event_at')(eb).as('last_event_at'),
    ])
    .select((eb) => [
      eb.fn.coalesce('outbox.underway', eb.lit(0)).as('underway'),
      eb.fn.coalesce('outbox.uncertain', eb.lit(0)).as('uncertain'),
    ])
    .select('outbox.status as waiting')
    .$castTo<ReadMessage>()
}

/** A message as it is now, of a row that was read. */
export function currentMessage({ waiting, ...row }: ReadMessage): CurrentMessage {
  const message = seen(row)
  return waiting === null ? message : { ...message, status: waiting }
}
