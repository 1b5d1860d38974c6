import { batchStatement } from '../../../store/statement.ts'
import { sentTogether, type Transaction } from '../../../store/store.ts'
import { appendMessageEvents } from '../../message-events.ts'
import { settleCorrectionsOf } from './corrections.ts'
import { promoteNext } from './lane.ts'
import { type LeftOutbox, reached } from './settle.ts'

/**
 * Does what follows when messages are settled: stores their events, frees their places in the queue, and appoints the next
 * leaders of the lanes that they led. `retries` has the messages of these lanes that wait for a later time to be tried
 * again. Corrections whose texts left with these are settled with them, and returned.
 */
export async function leaveQueue(
  tx: Transaction,
  settled: readonly LeftOutbox[],
  now: number,
  retries?: ReadonlyMap<number, number>,
): Promise<readonly LeftOutbox[]> {
  const sent = settled.filter(({ row, awaited }) => awaited && reached.includes(row.status))
  const corrections = await settleCorrectionsOf(
    tx,
    sent.map(({ row }) => row.seq),
    now,
  )
  const all = [...settled, ...corrections]
  const lanes = all
    .filter(({ led }) => led)
    .map(({ row }) => ({ instance: row.instance, recipient: row.recipient }))
  await sentTogether([leaveForGood(tx, all, now), promoteNext(tx, lanes, retries)])
  return corrections
}

/** The same for an instance that sends nothing more: its lanes get no leaders. */
export async function leaveForGood(
  tx: Transaction,
  settled: readonly LeftOutbox[],
  now: number,
): Promise<void> {
  const byInstance = Map.groupBy(settled, ({ row }) => row.instance_id)
  const places = [...byInstance].map(([instance, own]) => ({ instance, count: own.length }))
  freePlaces(tx, places)
  await appendMessageEvents(tx, settled, now, { settled: true })
}

const lowerDepth = batchStatement({ instance: 'text', count: 'integer' })((sql, given) =>
  sql
    .updateTable('instances')
    .set((eb) => ({ queue_depth: eb('queue_depth', '-', given('count')) }))
    .where('id', '=', given('instance')),
)

/** Gives back places in the queues of instances. */
export function freePlaces(
  tx: Transaction,
  places: readonly { readonly instance: string; readonly count: number }[],
): void {
  tx.sendForEach(lowerDepth, places)
}
