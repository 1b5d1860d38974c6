import { forEach } from '../../store/statement.ts'
import type { Transaction } from '../../store/store.ts'
import { type Changed, tellMessages } from '../message-events.ts'
import { passLeads } from './lane.ts'

/** A message that was settled. */
export interface Settled extends Changed {
  /** Whether it led its lane, so that the next is to lead. */
  readonly led: boolean
}

/** What follows when messages are settled: their events, places in the queue that are free, and new leaders of their lanes. */
export async function leaveQueue(tx: Transaction, settled: readonly Settled[], now: number): Promise<void> {
  await tellMessages(tx, settled, now, { settled: true })
  const byInstance = Map.groupBy(settled, ({ row }) => row.instance_id)
  await freePlaces(
    tx,
    [...byInstance].map(([instance, own]) => ({ instance, count: own.length })),
  )
  const led = settled.filter((one) => one.led)
  await passLeads(
    tx,
    led.map(({ row }) => ({ instance: row.instance_id, recipient: row.recipient })),
  )
}

const lowerDepth = forEach<{ instance: string; count: number }>({ instance: 'text', count: 'integer' })(
  (sql, given) =>
    sql
      .updateTable('instances')
      .set((eb) => ({ queue_depth: eb('queue_depth', '-', given('count')) }))
      .where('id', '=', given('instance')),
)

/** Gives back places in the queues of instances. */
export async function freePlaces(
  tx: Transaction,
  places: readonly { readonly instance: string; readonly count: number }[],
): Promise<void> {
  await tx.runForEach(lowerDepth, places)
}
