import type { NetworkError } from '../networks/outcome.ts'
import { statement } from '../store/statement.ts'
import { type Transaction, transaction } from '../store/store.ts'
import { storedError } from './outbox.ts'
import { mayBecome } from './status.ts'

export interface Receipt {
  readonly instanceId: string
  readonly networkMessageId: string
  /** The normalised address that confirmed. A receipt from anybody but the recipient is ignored. */
  readonly from: string
  readonly state: 'delivered' | 'read'
  readonly at: number
}

const selectSent = statement<{ instance: string; network: string }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select(['seq', 'id', 'recipient', 'status', 'delivered_at', 'read_at', 'sent_at'])
    .where('instance_id', '=', argument('instance'))
    .where('network_message_id', '=', argument('network')),
)

const noteReceipt = statement<{
  seq: number
  status: 'sending' | 'delivered' | 'read'
  sent: number | null
  delivered: number | null
  read: number | null
}>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set({
      status: argument('status'),
      sent_at: argument('sent'),
      delivered_at: argument('delivered'),
      read_at: argument('read'),
    })
    .where('seq', '=', argument('seq')),
)

/**
 * Moves a message on by what its recipient's side confirmed. A receipt may come before the network's acknowledgement, and
 * twice; while an attempt is under way it is only noted, and counts when the attempt is settled. Tells the id of the
 * message that changed, or null.
 */
export const recordReceipt = transaction(
  'receipts.record',
  async (tx, receipt: Receipt): Promise<string | null> => {
    const row = await findSent(tx, receipt)
    if (!row) return null
    const note = {
      seq: row.seq,
      sent: row.sent_at,
      delivered: row.delivered_at ?? receipt.at,
      read: row.read_at ?? (receipt.state === 'read' ? receipt.at : null),
    }
    if (row.status === 'sending') {
      await tx.run(noteReceipt, { ...note, status: 'sending' })
      return null
    }
    if (!mayBecome(row.status, receipt.state)) return null
    await tx.run(noteReceipt, { ...note, sent: row.sent_at ?? receipt.at, status: receipt.state })
    return row.id
  },
)

export interface Return {
  readonly instanceId: string
  readonly networkMessageId: string
  /** The normalised address that the message was for. */
  readonly from: string
  readonly error: NetworkError
}

/** Marks a message as failed that the network accepted and then gave back. Tells its id, or null where nothing changed. */
export const recordReturn = transaction(
  'receipts.return',
  async (tx, returned: Return): Promise<string | null> => {
    const row = await findSent(tx, returned)
    if (!row || !mayBecome(row.status, 'failed') || row.status === 'sending') return null
    await tx.run(
      tx.sql
        .updateTable('messages')
        .set({ status: 'failed', error: storedError(returned.error) })
        .where('seq', '=', row.seq),
    )
    return row.id
  },
)

async function findSent(tx: Transaction, { instanceId, networkMessageId, from }: Receipt | Return) {
  const row = await tx.first(selectSent, { instance: instanceId, network: networkMessageId })
  return row && row.recipient === from ? row : undefined
}
