import type { NetworkError } from '../../../networks/driver/outcome.ts'
import { batchStatement, statement } from '../../../store/statement.ts'
import { type Transaction, transaction } from '../../../store/store.ts'
import { aliasesOf } from '../../contacts/contact-store.ts'
import { isSettled, life, type StateFacts, stateOf } from '../../life.ts'
import { isNamed, type MessageRow, type NetworkIds, networkIdsIn } from '../../message.ts'
import { appendMessageEvents, type ChangedMessage } from '../../message-events.ts'
import { storedError } from '../../stored-error.ts'
import { atRest, timeOfLastEvent } from '../../transition.ts'
import { usableIds } from '../queue/assigned-ids.ts'
import { leaveQueue } from '../queue/leave-queue.ts'

/** The message of an observation, as the network names it. */
export interface MessageNamed {
  readonly instanceId: string
  readonly networkMessageId: string
  /** The id that the network assigned, if `networkMessageId` is ours. */
  readonly assignedId?: string | undefined
  /** When it was observed, in milliseconds since the epoch. */
  readonly at: number
}

export interface MessageReceipt extends MessageNamed {
  /**
   * The normalised address that confirmed. A receipt from any address but the recipient's is ignored. Null if the network
   * vouches for it by the id.
   */
  readonly from: string | null
  readonly state: 'delivered' | 'read'
}

const sentColumns = [
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
] as const

/** The columns of a sent message that a receipt is judged by. */
export type SentMessage = Pick<MessageRow, (typeof sentColumns)[number]>

const selectSent = statement<NetworkIds & { instance: string }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select(sentColumns)
    .where('instance_id', '=', argument('instance'))
    .where(isNamed(argument))
    // A person does not confirm messages of their own.
    .where('direction', '=', 'outbound'),
)

/** The same by their own ids. */
export const selectSentById = batchStatement({ id: 'text', instance: 'text' })((sql, given) =>
  sql
    .selectFrom('messages')
    .select(sentColumns)
    .where('id', '=', given('id'))
    .where('instance_id', '=', given('instance'))
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

const confirmationTypes = {
  seq: 'bigint',
  networkId: 'text',
  sent: 'bigint',
  delivered: 'bigint',
  read: 'bigint',
  at: 'bigint',
} as const

const noteReceipts = batchStatement<Confirmation>(confirmationTypes)((sql, given) =>
  sql
    .updateTable('messages')
    .set({
      delivered_at: given('delivered'),
      read_at: given('read'),
      network_message_id: given('networkId'),
    })
    .where('seq', '=', given('seq')),
)

const settleConfirmed = batchStatement<Confirmation & { status: 'delivered' | 'read' }>({
  ...confirmationTypes,
  status: 'text',
})((sql, given) =>
  sql
    .updateTable('messages')
    .set((eb) => ({
      ...atRest,
      status: given('status'),
      network_message_id: given('networkId'),
      sent_at: given('sent'),
      delivered_at: given('delivered'),
      read_at: given('read'),
      last_event_at: timeOfLastEvent(given('at'))(eb),
    }))
    .where('seq', '=', given('seq'))
    .returningAll(),
)

/**
 * Advances a message according to a receipt of its recipient's side. A receipt may come before the network's acknowledgement,
 * and twice; while an attempt is under way it is only noted, and counts when the attempt ends. A message with a receipt needs
 * no further attempt. Returns the id of the message that changed, or null.
 */
export const recordReceipt = transaction(
  'receipts.record',
  async (tx, receipt: MessageReceipt): Promise<string | null> => {
    const row = await findSent(tx, receipt)
    if (!row) return null
    const [changed] = await confirm(tx, [await asNamed(tx, row, receipt)], receipt)
    return changed ?? null
  },
)

/** The message with the id on its network that the observation may have revealed. */
export async function asNamed(tx: Transaction, row: SentMessage, named: MessageNamed): Promise<SentMessage> {
  return { ...row, network_message_id: await networkIdNow(tx, row, named) }
}

/** Advances messages, all at once; the ids of those that changed, in this order. */
export async function confirm(
  tx: Transaction,
  messages: readonly SentMessage[],
  { state, at }: Pick<MessageReceipt, 'state' | 'at'>,
): Promise<string[]> {
  // A message that the account sent elsewhere has its first event once its file is there.
  const known = messages.filter(({ awaits_file, status }) => awaits_file === 0 || status !== 'sent')
  const confirmation = (row: SentMessage) => ({
    seq: row.seq,
    networkId: row.network_message_id,
    at,
    sent: row.sent_at ?? at,
    delivered: row.delivered_at ?? at,
    read: row.read_at ?? (state === 'read' ? at : null),
  })
  await tx.runForEach(noteReceipts, known.filter(({ underway }) => underway === 1).map(confirmation))
  const settling = known.flatMap((row) => {
    const was = stateOf(row)
    const status = row.underway === 1 ? was : life[was][state]
    const changes = status !== was && (status === 'delivered' || status === 'read')
    return changes ? [{ row, status }] : []
  })
  const settled = await tx.allForEach(
    settleConfirmed,
    settling.map(({ row, status }) => ({ ...confirmation(row), status })),
  )
  const bySeq = new Map(settled.map((row) => [row.seq, row]))
  const changes = settling.flatMap(({ row: { seq, status: was } }) => {
    const row = bySeq.get(seq)
    return row ? [{ row, was }] : []
  })
  await recordChanges(tx, changes, at)
  return changes.map(({ row: { id } }) => id)
}

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
    const settled = await tx.all(settleShown, { seq: row.seq, at, networkId })
    await recordChanges(tx, changesOf(settled, row), at)
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
 * which then no longer matters. If an earlier attempt ended without an answer and another is still to come or under way, it
 * is uncertain which of them was given back. Returns the id, or null if nothing changed.
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
    await recordChanges(tx, changesOf(settled, row), returned.at)
    return row.id
  },
)

const changesOf = (changed: readonly MessageRow[], { status: was }: StateFacts) =>
  changed.map((row) => ({ row, was }))

/** Appends the events of changed messages, which leave the queue if the change settled them. */
async function recordChanges(
  tx: Transaction,
  changes: readonly Required<ChangedMessage>[],
  at: number,
): Promise<void> {
  const left = changes.filter(({ was }) => isSettled(was))
  const leaving = changes.filter(({ was }) => !isSettled(was))
  if (left.length > 0) await appendMessageEvents(tx, left, at)
  if (leaving.length > 0) await leaveQueue(tx, leaving, at)
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

/** Returns the message that an observation names, unless an address other than its recipient's confirms it. */
export async function findSent(
  tx: Transaction,
  { instanceId, networkMessageId, from }: MessageNamed & Pick<MessageReceipt, 'from'>,
) {
  const row = await tx.first(selectSent, { instance: instanceId, ...networkIdsIn(networkMessageId) })
  if (!row || from === null || row.recipient === from) return row
  // The recipient may have other addresses.
  const aliases = await aliasesOf(tx, { instance: row.instance_id, address: from })
  return aliases.includes(row.recipient) ? row : undefined
}
