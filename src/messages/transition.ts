import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { MessageStatus } from '../contract/statuses.ts'
import type { RowOf, Schema } from '../store/schema.ts'
import type { WaitingStatus } from '../store/tables/messages.ts'
import { life, type MessageEvent, stateOf, type WaitingState, waitingStates } from './life.ts'

/*
 * The table of life.ts as SQL. A statement that carries out an event in the outbox changes only the messages that the table
 * changes. So an event that comes twice changes nothing the second time.
 */

type Expressions = ExpressionBuilder<Schema, 'outbox'>

/** The messages in the outbox that an event changes, as a condition. */
export const changedBy = (event: MessageEvent) => (eb: Expressions) =>
  eb.or(movedBy(event).map((state) => isIn(eb, state)))

/** The facts about a message in the outbox that its next status follows from. */
export type Waiting = Pick<RowOf<'outbox'>, 'status' | 'underway' | 'uncertain' | 'delivered_at' | 'read_at'>

/**
 * Returns the status that an event gives to a message that it settles: a receipt that was noted while an attempt was under way says
 * more than any other event.
 */
export function settledStatus(waiting: Waiting, event: MessageEvent): MessageStatus {
  if (waiting.read_at !== null) return 'read'
  if (waiting.delivered_at !== null) return 'delivered'
  return life[stateOf(waiting)][event] as MessageStatus
}

function movedBy(event: MessageEvent): WaitingState[] {
  return waitingStates.filter((state) => life[state][event] !== state)
}

/** `stateOf` as a condition. */
function isIn(eb: Expressions, state: WaitingState): Expression<SqlBool> {
  const has = (column: 'underway' | 'uncertain', value: 0 | 1) => eb(`outbox.${column}`, '=', eb.lit(value))
  const isStill = (status: WaitingStatus) => eb('outbox.status', '=', status)
  switch (state) {
    case 'queued':
      return eb.and([isStill('queued'), has('uncertain', 0)])
    case 'retrying':
      return eb.and([isStill('sending'), has('underway', 0), has('uncertain', 0)])
    case 'uncertain':
      return eb.and([has('underway', 0), has('uncertain', 1)])
    case 'attempting':
      return eb.and([has('underway', 1), has('uncertain', 0)])
    case 'reattempting':
      return eb.and([has('underway', 1), has('uncertain', 1)])
  }
}
