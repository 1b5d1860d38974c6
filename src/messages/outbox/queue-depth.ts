import { statement } from '../../store/statement.ts'
import type { Transaction } from '../../store/store.ts'

const leave = statement<{ instance: string; count: number }>()((sql, argument) =>
  sql
    .updateTable('instances')
    .set((eb) => ({ queue_depth: eb('queue_depth', '-', argument('count')) }))
    .where('id', '=', argument('instance')),
)

/** Gives back the queue places of messages that were settled. */
export async function leaveQueue(tx: Transaction, instance: string, count: number): Promise<void> {
  await tx.run(leave, { instance, count })
}
