import type { NetworkError } from '../../networks/outcome.ts'
import { statement } from '../../store/statement.ts'
import { type Transaction, transaction } from '../../store/store.ts'
import { aliasesOf } from '../contacts/contact-store.ts'
import { isSettled, life, type StateFacts, stateOf } from '../life.ts'
import type { MessageRow } from '../message.ts'
import { appendMessageEvents } from '../message-events.ts'
import { isNamed, type Names, namesIn } from '../network-id.ts'
import { storedError } from '../stored-error.ts'
import { atRest, timeOfLastEvent } from '../transition.ts'
import { usableIds } from './assigned-ids.ts'
import { leaveQueue } from './leave-queue.ts'

/** How an observation names a message. */
export interface MessageNamed {
  readonly instanceId: string
  readonly networkMessageId: string
  /** The id that the network assigned, if `networkMessageId` is ours. */
  readonly assignedId?: string | undefined
  /** When it was observed, in milliseconds since the epoch. */
  readonly at: number
}

export interface Receipt extends MessageNamed {
  /**
   * The normalised address that confirmed. A receipt from anybody but the recipient is ignored. Null if the network vouches for it
   * by the id.
   */
  readonly from: string | null
  readonly state: 'delivered' | 'read'
}

const selectSent = statement<Names & { instance: string }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select([
      'seq',
      'id',
      'organization_id',
      'instance_id',
      'instance_name',
      'recipient',
      'status',
      'underway',
      'uncertain',
      'delivered_at',
      'read_at',
      'sent_at',
      'network_message_id',
      'id_assigned',
      'awaits_file',
    ])
    .where('instance_id', '=', argument('instance'))
    .where(isNamed(argument))
    // Nobody confirms what they wrote themselves.
    .where('direction', '=', 'outbound'),
)

interface Confirmation {
  readonly seq: number
  readonly networkId: string | null
  readonly sent: number | null
  readonly delivered: number
  readonly read: number | null
  readonly at: number
}

const noteReceipt = statement<Confirmation>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set({
      delivered_at: argument('delivered'),
      read_at: argument('read'),
      network_message_id: argument('networkId'),
    })
    .where('seq', '=', argument('seq')),
)

const settleConfirmed = statement<Confirmation & { status: 'delivered' | 'read' }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set((eb) => ({
      ...atRest,
      status: argument('status'),
      network_message_id: argument('networkId'),
      sent_at: argument('sent'),
      delivered_at: argument('delivered'),
      read_at: argument('read'),
      last_event_at: timeOfLastEvent(argument('at'))(eb),
    }))
    .where('seq', '=', argument('seq'))
    .returningAll(),
)

/**
 * Advances a message according to a receipt of its recipient's side. A receipt may come before the network's acknowledgement,
 * and twice; while an attempt is under way it is only noted, and counts when the attempt ends. A message with a receipt needs
 * no further attempt. Returns the id of the message that changed, or null.
 */
export const recordReceipt = transaction(
  'receipts.record',
  async (tx, receipt: Receipt): Promise<string | null> => {
    const row = await findSent(tx, receipt)
    // What the account sent elsewhere has its first event once its file is there.
    if (!row || (row.awaits_file === 1 && row.status === 'sent')) return null
    const confirmation = {
      seq: row.seq,
      networkId: await networkIdNow(tx, row, receipt),
      at: receipt.at,
      sent: row.sent_at ?? receipt.at,
      delivered: row.delivered_at ?? receipt.at,
      read: row.read_at ?? (receipt.state === 'read' ? receipt.at : null),
    }
    if (row.underway === 1) {
      await tx.run(noteReceipt, confirmation)
      return null
    }
    const state = stateOf(row)
    const status = life[state][receipt.state]
    if (status === state || (status !== 'delivered' && status !== 'read')) return null
    const confirmed = await tx.all(settleConfirmed, { ...confirmation, status })
    await recordChange(tx, row, confirmed, receipt.at)
    return row.id
  },
)

const settleShown = statement<{ seq: number; at: number; networkId: string | null }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set((eb) => ({
      ...atRest,
      status: 'sent',
      network_message_id: argument('networkId'),
      sent_at: argument('at'),
      error: null,
      last_event_at: timeOfLastEvent(argument('at'))(eb),
    }))
    .where('seq', '=', argument('seq'))
    .returningAll(),
)

/**
 * Settles a message as sent because the network shows that it has it, though the answer to an attempt was lost. While another
 * attempt is under way, its own outcome decides. Returns the id, or null if nothing changed.
 */
export const recordAcknowledged = transaction(
  'receipts.acknowledged',
  async (tx, shown: MessageNamed): Promise<string | null> => {
    const row = await findSent(tx, { ...shown, from: null })
    if (!row) return null
    const state = stateOf(row)
    if (life[state].shown === state) return null
    const { at } = shown
    const networkId = await networkIdNow(tx, row, shown)
    await recordChange(tx, row, await tx.all(settleShown, { seq: row.seq, at, networkId }), at)
    return row.id
  },
)

export interface Return extends MessageNamed {
  /** The normalised address that the message was for; null if the network vouches for it by the id. */
  readonly from: string | null
  readonly error: NetworkError
}

const settleReturned = statement<{
  seq: number
  status: 'failed' | 'unknown'
  sent: number | null
  error: string
  networkId: string | null
  at: number
}>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set((eb) => ({
      ...atRest,
      status: argument('status'),
      network_message_id: argument('networkId'),
      sent_at: argument('sent'),
      error: argument('error'),
      last_event_at: timeOfLastEvent(argument('at'))(eb),
    }))
    .where('seq', '=', argument('seq'))
    .returningAll(),
)

/**
 * Marks a message as failed that the network accepted and then gave back. The return may come before the acknowledgement,
 * which then no longer matters. If an earlier attempt ended without an answer and another is still to come or under way,
 * nobody knows which of them was given back. Returns the id, or null if nothing changed.
 */
export const recordReturn = transaction(
  'receipts.return',
  async (tx, returned: Return): Promise<string | null> => {
    const row = await findSent(tx, returned)
    if (!row || row.delivered_at !== null) return null
    const state = stateOf(row)
    const status = life[state].returned
    if (status === state || (status !== 'failed' && status !== 'unknown')) return null
    const sent = status === 'failed' ? (row.sent_at ?? returned.at) : null
    const error = storedError(returned.error)
    const networkId = await networkIdNow(tx, row, returned)
    const change = { seq: row.seq, status, sent, error, networkId, at: returned.at }
    const settled = await tx.all(settleReturned, change)
    await recordChange(tx, row, settled, returned.at)
    return row.id
  },
)

/** Appends the events of a changed message, which leaves the queue if the change settled it. */
async function recordChange(
  tx: Transaction,
  was: StateFacts,
  changed: readonly MessageRow[],
  at: number,
): Promise<void> {
  const changes = changed.map((row) => ({ row, was: was.status }))
  await (isSettled(was.status) ? appendMessageEvents(tx, changes, at) : leaveQueue(tx, changes, at))
}

/** The id of a message on its network, once the observation may have revealed it. */
async function networkIdNow(
  tx: Transaction,
  row: { readonly seq: number; readonly network_message_id: string | null; readonly id_assigned: number },
  { instanceId: instance, assignedId: assigned }: MessageNamed,
): Promise<string | null> {
  if (row.network_message_id !== null || row.id_assigned === 0 || assigned === undefined)
    return row.network_message_id
  return (await usableIds(tx, [{ seq: row.seq, instance, assigned }])).get(row.seq) ?? null
}

/** The message that an observation names, unless somebody else than its recipient confirms it. */
export async function findSent(
  tx: Transaction,
  { instanceId, networkMessageId, from }: MessageNamed & Pick<Receipt, 'from'>,
) {
  const row = await tx.first(selectSent, { instance: instanceId, ...namesIn(networkMessageId) })
  if (!row || from === null || row.recipient === from) return row
  // The recipient may have other addresses.
  const aliases = await aliasesOf(tx, { instance: row.instance_id, address: from })
  return aliases.includes(row.recipient) ? row : undefined
}
