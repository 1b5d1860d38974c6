import { statement } from '../../store/statement.ts'
import type { Transaction } from '../../store/store.ts'

const addToPending = statement<{ webhook: string; count: number }>()((sql, argument) =>
  sql
    .updateTable('webhooks')
    .set((eb) => ({ pending: eb('pending', '+', argument('count')) }))
    .where('id', '=', argument('webhook')),
)

/**
 * Notes that so many more deliveries of a webhook are pending, or fewer. It is kept with the webhook, because counting a
 * backlog takes as long as the backlog is.
 */
export async function countPending(tx: Transaction, webhook: string, more: number): Promise<void> {
  if (more !== 0) await tx.run(addToPending, { webhook, count: more })
}
