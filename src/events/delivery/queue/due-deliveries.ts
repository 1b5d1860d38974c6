import type { ExpressionBuilder } from 'kysely'
import type { Schema } from '../../../store/schema.ts'
import { type Argument, rawSql, type Sql, statement } from '../../../store/statement.ts'
import type { Transaction } from '../../../store/store.ts'
import { dissolveBatches, unitsOf } from './batches.ts'
import { type DueRow, type DueUnit, dueColumns, isServed, type LaneState, type StoredWebhook } from './due.ts'
import type { EarlyAttempts } from './recovery.ts'
import { movedAtOnce } from './tidy-deliveries.ts'

interface DueArgs {
  readonly webhook: string
  readonly now: number
  readonly limit: number
}

const timed = (sql: Sql, argument: Argument<Pick<DueArgs, 'webhook' | 'limit'>>) =>
  sql
    .selectFrom('deliveries')
    .select(dueColumns)
    .where('webhook_id', '=', argument('webhook'))
    .limit(argument('limit'))

const due = (sql: Sql, argument: Argument<DueArgs>) =>
  timed(sql, argument)
    .where('next_attempt_at', '<=', argument('now'))
    .orderBy('next_attempt_at')
    .orderBy('seq')

const selectDue = statement<DueArgs>()((sql, argument) =>
  due(sql, argument).select((eb) => eb.lit(0).$castTo<number>().as('is_behind')),
)

const isFirstPending = rawSql<boolean>("first.status = 'pending'")

/** A delivery must wait unless it is the first pending one of its instance, which costs one step into an index to find. */
const isBehind = (eb: ExpressionBuilder<Schema, 'deliveries'>) => {
  const first = eb
    .selectFrom('deliveries as first')
    .select('first.seq')
    .whereRef('first.webhook_id', '=', 'deliveries.webhook_id')
    .whereRef('first.instance_name', '=', 'deliveries.instance_name')
    .where(isFirstPending)
    .orderBy('first.event_sequence')
    .orderBy('first.seq')
    .limit(1)
  const is = eb.case().when('deliveries.seq', '!=', first).then(1).else(0).end()
  return is.$castTo<number>().as('is_behind')
}

const selectDueInOrder = statement<DueArgs>()((sql, argument) => due(sql, argument).select(isBehind))

const selectWaiting = statement<DueArgs & { after: number }>()((sql, argument) =>
  timed(sql, argument)
    .select(isBehind)
    .where('next_attempt_at', '>', argument('now'))
    .where('seq', '>', argument('after'))
    .orderBy('seq'),
)

export const isTest = rawSql<boolean>("event_type = 'webhook.test'")

const selectDueTests = statement<DueArgs>()((sql, argument) =>
  due(sql, argument)
    .where(isTest)
    .select((eb) => eb.lit(0).$castTo<number>().as('is_behind')),
)

function firstDue(tx: Transaction, webhook: StoredWebhook, args: DueArgs) {
  if (!isServed(webhook)) return tx.all(selectDueTests, args)
  return tx.all(webhook.ordering === 'per_instance' ? selectDueInOrder : selectDue, args)
}

/**
 * Finds what to send to a webhook with at most `wanted` attempts, and holds back deliveries that must wait for an earlier one.
 * `more` is true if another look is needed.
 */
export async function findDue(
  tx: Transaction,
  webhook: StoredWebhook,
  { underway }: LaneState,
  wanted: number,
  now: number,
): Promise<{ units: DueUnit[]; more: boolean }> {
  if (wanted === 0) return { units: [], more: false }
  const inOrder = webhook.ordering === 'per_instance'
  // Deliveries under way are still due, and may come first.
  const others = underway.length + (inOrder ? underway.length + movedAtOnce : 0)
  const limit = (inOrder ? wanted : wanted * webhook.batch) + others
  const candidates = await firstDue(tx, webhook, { webhook: webhook.id, now, limit })
  const begun = new Set(underway.map(({ seq }) => seq))
  const waiting = candidates.filter(({ seq }) => !begun.has(seq))
  const behind = waiting.filter(({ is_behind }) => is_behind === 1)
  const cut = await holdBack(tx, webhook, behind, now)
  const busy = new Set(inOrder ? underway.map(({ instance }) => instance) : [])
  const rows = waiting.filter(
    ({ is_behind, instance_name }) => is_behind === 0 && (instance_name === null || !busy.has(instance_name)),
  )
  const found = await unitsOf(tx, webhook, rows, { wanted, now })
  return {
    units: found.units,
    more: found.more || cut || (behind.length > 0 && candidates.length === limit),
  }
}

/**
 * Clears the due time of deliveries that must wait for an earlier one, and dissolves their batches: the other members would
 * otherwise wait in vain if the order is switched off. True if there was a batch.
 */
async function holdBack(
  tx: Transaction,
  { id: webhook }: StoredWebhook,
  behind: readonly DueRow[],
  now: number,
): Promise<boolean> {
  if (behind.length === 0) return false
  const batches = new Set(behind.flatMap(({ batch_id }) => batch_id ?? []))
  await dissolveBatches(
    tx,
    [...batches].map((batch) => ({ webhook, batch, now })),
  )
  const seqs = behind.map(({ seq }) => seq)
  await tx.run(tx.sql.updateTable('deliveries').set({ next_attempt_at: null }).where('seq', 'in', seqs))
  return batches.size > 0
}

/** Deliveries found for sending before their time. */
export interface FoundEarly {
  readonly units: readonly DueUnit[]
  /** The `seq` of the last delivery that was looked at; null if there was no capacity for any. */
  readonly last: number | null
  /** True if no delivery waits after that. */
  readonly isOver: boolean
}

/**
 * Finds what to send to an ordered webhook before its time, with at most `wanted` attempts. A probe goes round: after the last
 * delivery that waits comes the first.
 */
export async function findEarly(
  tx: Transaction,
  webhook: StoredWebhook,
  { underway }: LaneState,
  { after, isProbe, wanted, now }: Omit<EarlyAttempts, 'webhook'> & { wanted: number; now: number },
): Promise<FoundEarly> {
  if (!isServed(webhook) || webhook.ordering !== 'per_instance') return { units: [], last: 0, isOver: true }
  if (wanted === 0) return { units: [], last: null, isOver: false }
  const args = { webhook: webhook.id, now, limit: isProbe ? 1 : wanted, after }
  let found = await tx.all(selectWaiting, args)
  if (isProbe && found.length === 0) found = await tx.all(selectWaiting, { ...args, after: 0 })
  const busy = new Set(underway.map(({ instance }) => instance))
  const rows = found.filter(
    ({ is_behind, instance_name }) => is_behind === 0 && (instance_name === null || !busy.has(instance_name)),
  )
  const { units } = await unitsOf(tx, webhook, rows, { wanted, now })
  return { units, last: found.at(-1)?.seq ?? 0, isOver: found.length < args.limit }
}
