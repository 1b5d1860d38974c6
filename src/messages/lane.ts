import type { MessageStatus } from '../contract/message.ts'
import { type Argument, type Sql, statement, unsettled } from '../store/statement.ts'
import type { Transaction } from '../store/store.ts'

/*
 * Lanes and lines. The unsettled messages of one instance to one recipient form a lane, in which one has the turn and the
 * others wait for it, in the order of acceptance. Those of all lanes that have the turn and may leave at once stand in the
 * line of their instance. A place in it is a negative number in `turn_at`, and no time, so that a clock that is set back
 * holds up nobody. What must not leave before a time has that time in `turn_at`, and lines up when it has come.
 *
 * A message that is scheduled for later is no part of its lane: that is what `joins_at` says. So nothing here takes longer
 * for how many are scheduled, or wait.
 */

export interface Lane {
  readonly instance: string
  readonly recipient: string
}

/** So low that the places of a line which is never empty stay negative. */
const beforeFirst = Number.MIN_SAFE_INTEGER

/** The place behind everybody in the line of an instance. */
export function endOfLine(sql: Sql, instance: string) {
  return sql
    .selectFrom('messages')
    .select(({ eb, fn, lit }) =>
      eb(fn.coalesce(fn.max('turn_at'), lit(beforeFirst)), '+', lit(1)).as('place'),
    )
    .where('instance_id', '=', instance)
    .where('turn_at', '<', 0)
}

const standInLine = statement<{ instance: string; seq: number }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set({ turn_at: endOfLine(sql, argument('instance')) })
    .where('seq', '=', argument('seq')),
)

/** A message that has the turn of its lane lines up, behind all others. */
export async function lineUp(tx: Transaction, place: { instance: string; seq: number }): Promise<void> {
  await tx.run(standInLine, place)
}

/** True for the message of its lane that has the turn: it may leave, waits for a time to try again, or is under way. */
export function hasTurn(row: { status: MessageStatus; turn_at: number | null; joins_at: number }): boolean {
  return row.status === 'sending' || (row.turn_at !== null && row.joins_at === 0)
}

/** The first message of a lane. */
function firstInLane(sql: Sql, argument: Argument<Lane>) {
  return sql
    .selectFrom('messages')
    .select('seq')
    .where('instance_id', '=', argument('instance'))
    .where('recipient', '=', argument('recipient'))
    .where(unsettled)
    .where('joins_at', '=', 0)
    .orderBy('seq')
    .limit(1)
}

const selectFirst = statement<Lane>()(firstInLane)

const giveTurn = statement<Lane>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set((eb) => ({
      // One whose file is not there yet, or that is held, has the turn too, but waits with it outside of the line.
      turn_at: eb
        .case()
        .when(eb.or([eb('awaits_file', '=', 1), eb('held', '=', 1)]))
        .then(eb.ref('expires_at'))
        .else(endOfLine(sql, argument('instance')))
        .end(),
    }))
    .where('seq', '=', firstInLane(sql, argument)),
)

/** Gives the turn of a lane to its first message. Only for a lane in which nobody has it: who had it was settled. */
export async function passTurn(tx: Transaction, lane: Lane): Promise<void> {
  await tx.run(giveTurn, lane)
}

const joinLane = statement<Lane & { now: number }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set({ joins_at: 0, turn_at: null })
    .where('instance_id', '=', argument('instance'))
    .where('recipient', '=', argument('recipient'))
    .where(unsettled)
    .where('joins_at', '>', 0)
    .where('joins_at', '<=', argument('now')),
)

/** Takes into a lane everything that was scheduled for it and whose time has come. */
export async function gatherLane(tx: Transaction, lane: Lane & { now: number }): Promise<void> {
  const present = await tx.first(selectFirst, lane)
  await tx.run(joinLane, lane)
  if (!present) await passTurn(tx, lane)
}

/** How many times that have come one turn of an outbox looks at, so that it is never long; the next looks at more. */
const timesAtOnce = 200

const selectTimed = statement<{ instance: string; now: number }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select(['seq', 'recipient', 'joins_at'])
    .where('instance_id', '=', argument('instance'))
    .where('turn_at', '>', 0)
    .where('turn_at', '<=', argument('now'))
    .orderBy('turn_at')
    .orderBy('seq')
    .limit(timesAtOnce),
)

/** Those of an instance whose time has come line up, or join their lanes. */
export async function callUp(
  tx: Transaction,
  { instance, now }: { instance: string; now: number },
): Promise<void> {
  const gathered = new Set<string>()
  for (const { seq, recipient, joins_at } of await tx.all(selectTimed, { instance, now })) {
    if (joins_at === 0) await lineUp(tx, { instance, seq })
    else if (!gathered.has(recipient)) {
      gathered.add(recipient)
      await gatherLane(tx, { instance, recipient, now })
    }
  }
}

const selectNextTime = statement<{ instance: string }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select('turn_at')
    .where('instance_id', '=', argument('instance'))
    .where('turn_at', '>', 0)
    .orderBy('turn_at')
    .limit(1),
)

/** The next time for which a message of an instance waits. */
export async function nextTime(tx: Transaction, instance: string): Promise<number | null> {
  return (await tx.first(selectNextTime, { instance }))?.turn_at ?? null
}
