import type { ExpressionBuilder } from 'kysely'
import type { Schema } from '../../../store/schema.ts'
import { batchStatement } from '../../../store/statement.ts'
import type { Transaction } from '../../../store/store.ts'
import { seen } from '../../../store/tables/kept-message.ts'
import type { MessageEvent } from '../../life.ts'
import {
  type Change,
  changeBy,
  type LeftOutbox,
  type OutboxPlace,
  type Removed,
  reached,
  removedBy,
  writeSettled,
} from './settle.ts'

/*
 * Corrections of messages that wait: the message leaves with the newest text, and its corrections are settled as sent with it, in one
 * commit: so none is ever said to be canceled, or to have expired, whose text the recipient has. An attempt that may have arrived is
 * repeated with the text that it had; what corrects it later follows as a message of its own.
 */

/** Corrections of one message that are settled with it; those beyond are settled when their turn comes, or they are to leave the queue. */
const maxSettled = 200

// As `relationTo` writes it.
const correcting = '{"type":"correction"%'

/** `least` is 1 if only those count with which an attempt may have left. */
const selectNewest = batchStatement<{ target: number; least: number }>({
  target: 'bigint',
  least: 'integer',
})((sql, given) =>
  sql
    .selectFrom('outbox')
    .innerJoin('messages', 'messages.seq', 'outbox.seq')
    .select(['outbox.seq', 'outbox.target_seq', 'messages.text'])
    .where('outbox.target_seq', '=', given('target'))
    .where('outbox.attempts', '=', 0)
    .where('outbox.included', '>=', given('least'))
    .where('messages.relation', 'like', correcting)
    .orderBy('outbox.seq', 'desc')
    .limit(1),
)

/** Those before the newest are marked, too: sent after it, they would bring back an older text. */
const include = batchStatement({ target: 'bigint', newest: 'bigint' })((sql, given) =>
  sql
    .updateTable('outbox')
    .set({ included: 1 })
    .where('seq', 'in', (eb) =>
      eb
        .selectFrom('outbox as correction')
        .innerJoin('messages', 'messages.seq', 'correction.seq')
        .select('correction.seq')
        .where('correction.target_seq', '=', given('target'))
        .where('correction.seq', '<=', given('newest'))
        .where('correction.attempts', '=', 0)
        .where('correction.included', '=', 0)
        .where('messages.relation', 'like', correcting),
    ),
)

/** A message that is being claimed. */
interface Claiming {
  readonly seq: number
  readonly awaited: number
  readonly uncertain: number
}

/** Returns the texts with which messages leave that were corrected while they waited, by their numbers. */
export async function correctedTexts(
  tx: Transaction,
  claiming: readonly Claiming[],
): Promise<ReadonlyMap<number, string>> {
  const awaited = claiming.filter((one) => one.awaited === 1)
  if (awaited.length === 0) return new Map()
  const mayHaveLeft = new Set(awaited.flatMap(({ seq, uncertain }) => (uncertain === 1 ? [seq] : [])))
  const found = await tx.allForEach(
    selectNewest,
    awaited.map(({ seq: target, uncertain: least }) => ({ target, least })),
  )
  const newest = found.map(({ seq, target_seq, text }) => ({ seq, target: target_seq ?? 0, text }))
  tx.sendForEach(
    include,
    newest.flatMap(({ seq, target }) => (mayHaveLeft.has(target) ? [] : [{ target, newest: seq }])),
  )
  return new Map(newest.map(({ target, text }) => [target, text ?? '']))
}

const removeIncluded = removedBy('included')
const included = (acceptedAt: number, row: Removed) => ({
  removed: row,
  change: changeBy('included', row, { acceptedAt, error: null }),
})

/** Settles corrections as sent whose texts left with the messages that they correct. */
export async function settleIncluded(
  tx: Transaction,
  places: readonly OutboxPlace[],
  now: number,
): Promise<LeftOutbox[]> {
  if (places.length === 0) return []
  const removed = await tx.allForEach(removeIncluded, places)
  return writeSettled(
    tx,
    removed.map((row) => included(now, row)),
    now,
  )
}

const selectIncluded = batchStatement({ target: 'bigint' })((sql, given) =>
  sql
    .selectFrom('outbox')
    .select(['seq', 'instance'])
    .where('target_seq', '=', given('target'))
    .where('included', '=', 1)
    .orderBy('seq')
    .limit(maxSettled),
)

/** Settles the corrections with which messages left that are now known to be sent. */
export async function settleCorrectionsOf(
  tx: Transaction,
  targets: readonly number[],
  now: number,
): Promise<LeftOutbox[]> {
  if (targets.length === 0) return []
  const found = await tx.allForEach(
    selectIncluded,
    targets.map((target) => ({ target })),
  )
  return settleIncluded(tx, found, now)
}

const selectTargets = batchStatement({ target: 'bigint' })((sql, given) =>
  sql
    .selectFrom('messages')
    .leftJoin('outbox', 'outbox.seq', 'messages.seq')
    .select(['messages.seq', 'messages.status', 'outbox.seq as waiting'])
    .select(['outbox.underway', 'outbox.uncertain'])
    .where('messages.seq', '=', given('target')),
)

const mayHaveArrived = ({ underway, uncertain }: Pick<Removed, 'underway' | 'uncertain'>) =>
  underway === 1 || uncertain === 1

/**
 * Returns what becomes of messages that leave the outbox by an event that is no end of an attempt. Corrections whose texts may have left
 * in others are as uncertain as these, and those whose texts certainly did are sent.
 */
export async function settledBy(
  tx: Transaction,
  event: MessageEvent,
  removed: readonly Removed[],
  now: number,
): Promise<{ removed: Removed; change: Change }[]> {
  const targets = removed.flatMap(({ included: isIn, target_seq }) =>
    isIn === 1 && target_seq !== null ? [{ target: target_seq }] : [],
  )
  const found = targets.length === 0 ? [] : await tx.allForEach(selectTargets, targets)
  const arrived = new Set<number>()
  const uncertain = new Set(removed.filter(mayHaveArrived).map(({ seq }) => seq))
  for (const row of found) {
    const { seq, status } = seen(row)
    const isSettled = row.waiting === null && !uncertain.has(seq)
    if (isSettled && reached.includes(status)) arrived.add(seq)
    const { underway, uncertain: isUncertain } = row
    if (isSettled ? status === 'unknown' : underway === 1 || isUncertain === 1) uncertain.add(seq)
  }
  return removed.map((row) => {
    const target = row.included === 1 ? (row.target_seq ?? 0) : 0
    if (arrived.has(target)) return included(now, row)
    const known = uncertain.has(target) ? { ...row, uncertain: 1 } : row
    return { removed: known, change: changeBy(event, known) }
  })
}

/** True for a correction whose text is in an attempt of its target that is under way. */
export const leavesWithTarget = (eb: Expressions) =>
  eb.and([eb('outbox.included', '=', 1), eb.exists(targetOf(eb).where('target.underway', '=', 1))])

/** True for one whose target is being sent and may have arrived: it can be canceled no more than that. */
export const maySoonArrive = (eb: Expressions) =>
  eb.and([
    eb('outbox.included', '=', 1),
    eb.exists(
      targetOf(eb)
        .where('target.status', '=', 'sending')
        .where((each) => each.or([each('target.underway', '=', 1), each('target.uncertain', '=', 1)])),
    ),
  ])

type Expressions = ExpressionBuilder<Schema, 'outbox'>

const targetOf = (eb: Expressions) =>
  eb.selectFrom('outbox as target').select('target.seq').whereRef('target.seq', '=', 'outbox.target_seq')
