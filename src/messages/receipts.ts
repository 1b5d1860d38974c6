import type { MessageStatus } from '../contract/message.ts'
import type { NetworkError } from '../networks/outcome.ts'
import { statement } from '../store/statement.ts'
import { type Transaction, transaction } from '../store/store.ts'
import { hasTurn, passTurn } from './lane.ts'
import { tellMessages } from './message-events.ts'
import { leaveQueue, storedError } from './settling.ts'
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
    .select([
      'seq',
      'id',
      'instance_id',
      'recipient',
      'status',
      'turn_at',
      'joins_at',
      'held',
      'uncertain',
      'delivered_at',
      'read_at',
      'sent_at',
    ])
    .where('instance_id', '=', argument('instance'))
    .where('network_message_id', '=', argument('network'))
    // Nobody confirms what they wrote themselves.
    .where('direction', '=', 'outbound'),
)

const noteReceipt = statement<{
  seq: number
  status: 'sending' | 'delivered' | 'read'
  sent: number | null
  delivered: number | null
  read: number | null
  at: number
}>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set({
      status: argument('status'),
      sent_at: argument('sent'),
      delivered_at: argument('delivered'),
      read_at: argument('read'),
      changed_at: argument('at'),
      turn_at: null,
    })
    .where('seq', '=', argument('seq'))
    .returningAll(),
)

/**
 * Moves a message on by what its recipient's side confirmed. A receipt may come before the network's acknowledgement, and
 * twice; while an attempt is under way it is only noted, and counts when the attempt is settled. One that waits for
 * another attempt needs none. Tells the id of the message that changed, or null.
 */
export const recordReceipt = transaction(
  'receipts.record',
  async (tx, receipt: Receipt): Promise<string | null> => {
    const row = await findSent(tx, receipt)
    if (!row || !mayBecome(waitsHeld(row) ? 'sending' : row.status, receipt.state)) return null
    const note = {
      seq: row.seq,
      at: receipt.at,
      sent: row.sent_at,
      delivered: row.delivered_at ?? receipt.at,
      read: row.read_at ?? (receipt.state === 'read' ? receipt.at : null),
    }
    if (row.status === 'sending' && row.turn_at === null) {
      await tx.all(noteReceipt, { ...note, status: 'sending' })
      return null
    }
    const status = note.read === null ? 'delivered' : 'read'
    const confirmed = await tx.all(noteReceipt, { ...note, sent: row.sent_at ?? receipt.at, status })
    const settled = row.status === 'sending' || waitsHeld(row)
    await tellMessages(tx, confirmed, receipt.at, { was: row.status, settled })
    if (settled) await leaveLane(tx, row)
    return row.id
  },
)

const settleAcknowledged = statement<{ seq: number; at: number }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set({
      status: 'sent',
      sent_at: argument('at'),
      error: null,
      uncertain: 0,
      changed_at: argument('at'),
      turn_at: null,
    })
    .where('seq', '=', argument('seq'))
    .returningAll(),
)

/**
 * Settles a message as sent of which the network shows that it has it, though the answer to an attempt was lost. Only one of
 * which that is not known otherwise: while another attempt is under way, that one is heard. Tells its id, or null where nothing
 * changed.
 */
export const recordAcknowledged = transaction(
  'receipts.acknowledged',
  async (
    tx,
    { instanceId, networkMessageId, at }: Pick<Receipt, 'instanceId' | 'networkMessageId' | 'at'>,
  ): Promise<string | null> => {
    const row = await tx.first(selectSent, { instance: instanceId, network: networkMessageId })
    const waits =
      row !== undefined &&
      (waitsHeld(row) || (row.status === 'sending' && row.turn_at !== null && row.uncertain === 1))
    if (!row || !(waits || row.status === 'unknown')) return null
    await tellMessages(tx, await tx.all(settleAcknowledged, { seq: row.seq, at }), at, { settled: waits })
    if (waits) await leaveLane(tx, row)
    return row.id
  },
)

export interface Return {
  readonly instanceId: string
  readonly networkMessageId: string
  /** The normalised address that the message was for. */
  readonly from: string
  readonly error: NetworkError
  readonly at: number
}

const settleReturned = statement<{
  seq: number
  status: 'failed' | 'unknown'
  sent: number | null
  error: string
  at: number
}>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set({
      status: argument('status'),
      sent_at: argument('sent'),
      error: argument('error'),
      changed_at: argument('at'),
      turn_at: null,
    })
    .where('seq', '=', argument('seq'))
    .returningAll(),
)

/**
 * Marks a message as failed that the network accepted and then gave back. That may be told before the acknowledgement,
 * which then comes too late to matter. Where an earlier attempt ended without an answer and another is still to come or
 * under way, nobody knows which of them was given back. Tells its id, or null where nothing changed.
 */
export const recordReturn = transaction(
  'receipts.return',
  async (tx, returned: Return): Promise<string | null> => {
    const row = await findSent(tx, returned)
    if (!row || row.delivered_at !== null || !mayBecome(row.status, 'failed')) return null
    const status = row.status === 'sending' && row.uncertain === 1 ? 'unknown' : 'failed'
    const sent = status === 'failed' ? (row.sent_at ?? returned.at) : null
    const error = storedError(returned.error)
    const settled = await tx.all(settleReturned, { seq: row.seq, status, sent, error, at: returned.at })
    const wasUnsettled = row.status === 'sending'
    await tellMessages(tx, settled, returned.at, { settled: wasUnsettled })
    if (wasUnsettled) await leaveLane(tx, row)
    return row.id
  },
)

/** One that is held may have been sent before the store went back to a backup, as what the network shows of it proves. */
function waitsHeld({ status, held }: { readonly status: MessageStatus; readonly held: number }): boolean {
  return status === 'queued' && held === 1
}

/** The message was settled without waiting for its attempt: its place is free, and if it had the turn, the next has it. */
async function leaveLane(
  tx: Transaction,
  row: Parameters<typeof hasTurn>[0] & { readonly instance_id: string; readonly recipient: string },
): Promise<void> {
  await leaveQueue(tx, row.instance_id, 1)
  if (!hasTurn(row)) return
  await passTurn(tx, { instance: row.instance_id, recipient: row.recipient })
}

async function findSent(tx: Transaction, { instanceId, networkMessageId, from }: Receipt | Return) {
  const row = await tx.first(selectSent, { instance: instanceId, network: networkMessageId })
  return row && row.recipient === from ? row : undefined
}
