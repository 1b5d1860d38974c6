import { type RowOf, tables } from '../../../store/schema.ts'
import { statement } from '../../../store/statement.ts'
import type { Transaction } from '../../../store/store.ts'
import { typesOf } from '../../../store/tables/columns.ts'
import type { DeliveryVerdict } from '../attempt/retry-schedule.ts'
import { dissolveBatch, formBatch } from './batches.ts'
import { isPending } from './delivery-record.ts'

export const madeColumns = ['number', 'started_at', 'duration', 'status_code', 'error', 'body'] as const

/** The stored columns of an attempt that is over. */
export type AttemptMade = Readonly<Pick<RowOf<'delivery_attempts'>, (typeof madeColumns)[number]>>

/** An attempt at a batch that is over. */
export interface BatchAttempt extends AttemptMade {
  readonly webhook: string
  readonly batch: string
}

interface Attempted {
  readonly webhook: string
  readonly batch: string
  /** Number of attempts made before this one. */
  readonly before: number
}

/** Only the next attempt can be settled, as with a single delivery. */
const selectAttempted = statement<Attempted>()((sql, argument) =>
  sql
    .selectFrom('deliveries')
    .select(['seq', 'instance_name as instance'])
    .where('webhook_id', '=', argument('webhook'))
    .where('batch_id', '=', argument('batch'))
    .where(isPending)
    .where('attempts', '=', argument('before'))
    .orderBy('event_sequence')
    .orderBy('deliveries.seq'),
)

const types = typesOf(tables.delivery_attempts, madeColumns)

const insertAttempts = statement<BatchAttempt & { before: number }>()((sql, argument) =>
  sql
    .insertInto('delivery_attempts')
    .columns([...madeColumns, 'delivery_seq', 'batch_id'])
    .expression((eb) =>
      eb
        .selectFrom('deliveries')
        .select((row) => [
          ...madeColumns.map((name) => row.cast(row.val(argument(name)), types[name] as 'text').as(name)),
          'seq',
          'batch_id',
        ])
        .where('webhook_id', '=', argument('webhook'))
        .where('batch_id', '=', argument('batch'))
        .where(isPending)
        .where('attempts', '=', argument('before')),
    ),
)

const settle = statement<Attempted & { number: number; status: 'delivered' | 'failed'; now: number }>()(
  (sql, argument) =>
    sql
      .updateTable('deliveries')
      .set({
        attempts: argument('number'),
        status: argument('status'),
        next_attempt_at: null,
        settled_at: argument('now'),
      })
      .where('webhook_id', '=', argument('webhook'))
      .where('batch_id', '=', argument('batch'))
      .where(isPending)
      .where('attempts', '=', argument('before')),
)

const sendAgain = statement<Attempted & { number: number; first: number; at: number }>()((sql, argument) =>
  sql
    .updateTable('deliveries')
    .set((eb) => ({
      attempts: argument('number'),
      next_attempt_at: eb
        .case()
        .when('seq', '=', argument('first'))
        .then(eb.cast<number>(eb.val(argument('at')), 'bigint'))
        .end(),
    }))
    .where('webhook_id', '=', argument('webhook'))
    .where('batch_id', '=', argument('batch'))
    .where(isPending)
    .where('attempts', '=', argument('before')),
)

/** The result of settling an attempt. */
export interface SettledBatch {
  /** Number of deliveries that are no longer pending. */
  readonly settled: number
  readonly instances: readonly (string | null)[]
}

/** Settles an attempt at a batch for each of its deliveries; null if it was settled before, or no delivery is pending. */
export async function settleBatch(
  tx: Transaction,
  attempt: BatchAttempt,
  verdict: DeliveryVerdict,
  { inOrder, isStale, now }: { readonly inOrder: boolean; readonly isStale: boolean; readonly now: number },
): Promise<SettledBatch | null> {
  const { webhook, batch, number } = attempt
  const attempted = { webhook, batch, before: number - 1 }
  const rows = await tx.all(selectAttempted, attempted)
  const [first] = rows
  if (!first) return null
  await tx.run(insertAttempts, { ...attempt, before: number - 1 })
  if (verdict.kind === 'again' || verdict.kind === 'split') {
    const { at } = verdict
    await tx.run(sendAgain, { ...attempted, number, first: first.seq, at })
    // The halves of a stale batch would get new ids, and so would no longer be known as stale.
    if (verdict.kind === 'split' && isStale) await dissolveBatch(tx, { webhook, batch, now: at })
    else if (verdict.kind === 'split') await split(tx, rows, { at, inOrder, number })
    return { settled: 0, instances: [] }
  }
  const status = verdict.kind === 'delivered' ? 'delivered' : 'failed'
  await tx.run(settle, { ...attempted, number, status, now })
  return { settled: rows.length, instances: [...new Set(rows.map(({ instance }) => instance))] }
}

/**
 * Makes two batches of one, each with its own id. If deliveries go in order, the second half is held back like all that follows
 * the first half, and becomes a batch in its turn; no delivery with fewer attempts joins it.
 */
async function split(
  tx: Transaction,
  rows: readonly { readonly seq: number; readonly instance: string | null }[],
  { at, inOrder, number }: { readonly at: number; readonly inOrder: boolean; readonly number: number },
): Promise<void> {
  const half = Math.ceil(rows.length / 2)
  const [first, second] = [rows.slice(0, half), rows.slice(half)]
  await formBatch(tx, first, { next_attempt_at: at, schedule_from: number })
  if (second.length === 0) return
  if (!inOrder || second[0]?.instance === null) {
    await formBatch(tx, second, { next_attempt_at: at, schedule_from: number })
    return
  }
  const waiting = tx.sql
    .updateTable('deliveries')
    .set({ batch_id: null, next_attempt_at: null, schedule_from: number })
  await tx.run(
    waiting.where(
      'seq',
      'in',
      second.map(({ seq }) => seq),
    ),
  )
}
