import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { MessageStatus } from '../contract/statuses.ts'
import { timeOfEvent } from '../events/journal.ts'
import type { Schema } from '../store/schema.ts'
import type { Sql } from '../store/statement.ts'
import { life, type MessageEvent, type MessageState, messageStates } from './life.ts'

/*
 * The table of life.ts as SQL. A statement that carries out an event changes only the messages that the table changes. So an
 * event that comes twice changes nothing the second time.
 */

type Expressions = ExpressionBuilder<Schema, 'messages'>

/** The messages that an event changes, as a condition. */
export const changedBy = (event: MessageEvent) => (eb: Expressions) =>
  eb.or(movedBy(event).map((state) => isIn(eb, state)))

/** The columns of the messages that an event settles. */
export const settledBy = (event: MessageEvent) => (eb: Expressions) => ({
  ...atRest,
  status: provenOr(eb, statusAfter(eb, event)),
})

/** The time of the event of a change to a message. */
export const timeOfLastEvent = (now: number) => (eb: Expressions) =>
  timeOfEvent(eb as unknown as Pick<Sql, 'selectFrom'>, now).where(
    'organizations.id',
    '=',
    eb.ref('messages.organization_id'),
  )

/**
 * Nothing happens to a settled message by itself. Whether it led its lane stays in its row, so that the statement returns it.
 */
export const atRest = { underway: 0, queue_position: null, due_at: null } as const

function movedBy(event: MessageEvent): MessageState[] {
  return messageStates.filter((state) => life[state][event] !== state)
}

/** `stateOf` as a condition. */
function isIn(eb: Expressions, state: MessageState): Expression<SqlBool> {
  const has = (column: 'underway' | 'uncertain', value: 0 | 1) => eb(column, '=', eb.lit(value))
  switch (state) {
    case 'queued':
      return eb.and([eb('status', '=', 'queued'), has('uncertain', 0)])
    case 'retrying':
      return eb.and([eb('status', '=', 'sending'), has('underway', 0), has('uncertain', 0)])
    case 'uncertain':
      return eb.and([eb('status', 'in', ['queued', 'sending']), has('underway', 0), has('uncertain', 1)])
    case 'attempting':
      return eb.and([has('underway', 1), has('uncertain', 0)])
    case 'reattempting':
      return eb.and([has('underway', 1), has('uncertain', 1)])
    default:
      return eb('status', '=', state)
  }
}

function statusAfter(eb: Expressions, event: MessageEvent): Expression<MessageStatus> {
  const byTarget = [...Map.groupBy(movedBy(event), (state) => life[state][event] as MessageStatus)]
  const [last] = byTarget.pop() ?? []
  if (last === undefined) throw new Error(`${event} settles nothing`)
  return byTarget.reduceRight<Expression<MessageStatus>>(
    (otherwise, [target, states]) =>
      eb
        .case()
        .when(eb.or(states.map((state) => isIn(eb, state))))
        .then(target)
        .else(otherwise)
        .end(),
    eb.val(last),
  )
}

/**
 * Returns the status that a receipt proves, or else the given one: a receipt noted while an attempt was under way says more
 * than any other event that settles the message.
 */
function provenOr(eb: Expressions, otherwise: Expression<MessageStatus>): Expression<MessageStatus> {
  return eb
    .case()
    .when('read_at', 'is not', null)
    .then('read' as MessageStatus)
    .when('delivered_at', 'is not', null)
    .then('delivered' as MessageStatus)
    .else(otherwise)
    .end()
}
