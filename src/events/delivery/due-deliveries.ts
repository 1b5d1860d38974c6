import { type Argument, type Sql, spelledOut, statement } from '../../store/statement.ts'
import type { Transaction } from '../../store/store.ts'
import { dissolveBatch, unitsOf } from './batches.ts'
import { type DueRow, type DueUnit, dueColumns, isServed, type LaneState, type StoredWebhook } from './due.ts'
import { movedAtOnce } from './tidy-deliveries.ts'

interface DueArgs {
  readonly webhook: string
  readonly now: number
  readonly limit: number
}

const due = (sql: Sql, argument: Argument<DueArgs>) =>
  sql
    .selectFrom('deliveries')
    .select(dueColumns)
    .where('webhook_id', '=', argument('webhook'))
    .where('next_attempt_at', '<=', argument('now'))
    .orderBy('next_attempt_at')
    .orderBy('seq')
    .limit(argument('limit'))

const selectDue = statement<DueArgs>()((sql, argument) =>
  due(sql, argument).select((eb) => eb.lit(0).$castTo<number>().as('is_behind')),
)

const isFirstPending = spelledOut<boolean>("first.status = 'pending'")

/** A delivery must wait unless it is the first pending one of its instance, which costs one step into an index to find. */
const selectDueInOrder = statement<DueArgs>()((sql, argument) =>
  due(sql, argument).select((eb) => {
    const first = eb
      .selectFrom('deliveries as first')
      .select('first.seq')
      .whereRef('first.webhook_id', '=', 'deliveries.webhook_id')
      .whereRef('first.instance_name', '=', 'deliveries.instance_name')
      .where(isFirstPending)
      .orderBy('first.event_sequence')
      .orderBy('first.seq')
      .limit(1)
    const isBehind = eb.case().when('deliveries.seq', '!=', first).then(1).else(0).end()
    return isBehind.$castTo<number>().as('is_behind')
  }),
)

export const isTest = spelledOut<boolean>("event_type = 'webhook.test'")

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
  for (const batch of batches) await dissolveBatch(tx, { webhook, batch, now })
  const seqs = behind.map(({ seq }) => seq)
  await tx.run(tx.sql.updateTable('deliveries').set({ next_attempt_at: null }).where('seq', 'in', seqs))
  return batches.size > 0
}
