import type { MessageAttempt } from '../../contract/resources/message-history.ts'
import { timestamp } from '../../runtime/clock.ts'
import { type RowOf, tables } from '../../store/schema.ts'
import { batchStatement, statement, valuesOf } from '../../store/statement.ts'
import { type Reader, read, type Transaction } from '../../store/store.ts'
import { typesOf } from '../../store/tables/columns.ts'
import type { CurrentMessage } from '../current-message.ts'
import { findRow, type MessagePlace } from '../list/find-message.ts'

/*
 * The attempts of messages. Most messages are sent by their first one, and cost no row for it: only an attempt that did not
 * simply succeed has one. What is known of the last one otherwise stands in the row of its message.
 */

/** Attempts of one message that are kept: its first, and its last. A network may defer a message for weeks. */
const firstKept = 10
const lastKept = 90
export const maxKept = firstKept + lastKept

/** An attempt that ended, and did not simply succeed. */
export type EndedAttempt = Readonly<RowOf<'message_attempts'>>

const columns = Object.keys(tables.message_attempts) as (keyof EndedAttempt)[]

/** An attempt that was given up may end twice: a late response says more. */
const keepAttempt = batchStatement<EndedAttempt>(typesOf(tables.message_attempts, columns))((sql, given) =>
  sql
    .insertInto('message_attempts')
    .values(valuesOf(given, columns))
    .onConflict((on) =>
      on.columns(['message_seq', 'number']).doUpdateSet((eb) => ({
        outcome: eb.ref('excluded.outcome'),
        ended_at: eb.ref('excluded.ended_at'),
        error: eb.ref('excluded.error'),
        next_attempt_at: eb.ref('excluded.next_attempt_at'),
      })),
    ),
)

const dropAttempt = batchStatement({ seq: 'bigint', number: 'integer' })((sql, given) =>
  sql
    .deleteFrom('message_attempts')
    .where('message_seq', '=', given('seq'))
    .where('number', '=', given('number')),
)

/** Keeps attempts, in the transaction that settles them. Of one message, the number is bounded. */
export function keepAttempts(tx: Transaction, attempts: readonly EndedAttempt[]): void {
  // The last verdict on an attempt counts, and no statement may write a row twice.
  const byNumber = new Map(attempts.map((attempt) => [`${attempt.message_seq} ${attempt.number}`, attempt]))
  tx.sendForEach(keepAttempt, [...byNumber.values()])
  const pushedOut = attempts
    .map(({ message_seq: seq, number }) => ({ seq, number: number - lastKept }))
    .filter(({ number }) => number > firstKept)
  tx.sendForEach(dropAttempt, pushedOut)
}

const selectAny = statement<{ from: number; to: number }>()((sql, argument) =>
  sql
    .selectFrom('message_attempts')
    .select('message_seq')
    .where('message_seq', '>=', argument('from'))
    .where('message_seq', '<=', argument('to'))
    .limit(1),
)

const removeOf = batchStatement({ seq: 'bigint' })((sql, given) =>
  sql.deleteFrom('message_attempts').where('message_seq', '=', given('seq')),
)

/** Forgets the attempts of messages that are forgotten; these are in their order. */
export async function forgetAttempts(tx: Transaction, messages: readonly { seq: number }[]): Promise<void> {
  const [from, to] = [messages[0]?.seq, messages.at(-1)?.seq]
  if (from === undefined || to === undefined) return
  // Mostly there is none.
  if (await tx.first(selectAny, { from, to }))
    tx.sendForEach(
      removeOf,
      messages.map(({ seq }) => ({ seq })),
    )
}

/** The attempts of a message, oldest first; null if the caller has no such message. */
export const listAttempts = read(
  'messages.attempts',
  async (reader, place: MessagePlace): Promise<MessageAttempt[] | null> => {
    const row = await findRow(reader, place)
    return row && (await attemptsOf(reader, row)).map(renderAttempt)
  },
)

type Facts = Omit<EndedAttempt, 'outcome' | 'ended_at'> & {
  readonly outcome: MessageAttempt['outcome']
  readonly ended_at: number | null
}

/** Every attempt of a message that is known of, oldest first. */
async function attemptsOf(reader: Reader, row: CurrentMessage): Promise<Facts[]> {
  if (row.attempts === 0) return []
  const kept = await reader.all(
    reader.sql
      .selectFrom('message_attempts')
      .selectAll()
      .where('message_seq', '=', row.seq)
      .orderBy('number'),
  )
  if (kept.at(-1)?.number === row.attempts) return kept
  const isAcknowledged = kept.some(({ outcome }) => outcome === 'accepted')
  return [...kept, lastAttempt(row, isAcknowledged)]
}

/** The last attempt as its message shows it, if it has no row. */
function lastAttempt(row: CurrentMessage, isAcknowledged: boolean): Facts {
  const { seq: message_seq, attempts: number, last_attempt_at: started_at } = row
  const facts = { message_seq, number, started_at, error: null, next_attempt_at: null }
  if (row.underway === 1) return { ...facts, outcome: 'underway', ended_at: null }
  if (row.sent_at !== null && !isAcknowledged) return { ...facts, outcome: 'accepted', ended_at: row.sent_at }
  // Its instance was removed, or an earlier attempt was acknowledged meanwhile.
  return { ...facts, outcome: 'uncertain', ended_at: row.last_event_at }
}

function renderAttempt({ number, outcome, error, ...times }: Facts): MessageAttempt {
  return {
    number,
    started_at: timestamp(times.started_at),
    ended_at: timestamp(times.ended_at),
    outcome,
    error: error === null ? null : JSON.parse(error),
    next_attempt_at: timestamp(times.next_attempt_at),
  }
}
