import { statement } from '../../../store/statement.ts'
import type { Transaction } from '../../../store/store.ts'

const addToPending = statement<{ webhook: string; count: number }>()((sql, argument) =>
  sql
    .updateTable('webhooks')
    .set((eb) => ({ pending: eb('pending', '+', argument('count')) }))
    .where('id', '=', argument('webhook')),
)

/**
 * Adds to the number of pending deliveries of a webhook; `more` may be negative. The number is stored with the webhook, because
 * counting takes longer the longer the backlog is.
 */
export async function countPending(tx: Transaction, webhook: string, more: number): Promise<void> {
  if (more !== 0) await tx.run(addToPending, { webhook, count: more })
}
