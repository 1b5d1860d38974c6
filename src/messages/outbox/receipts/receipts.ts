import type { MessageStatus } from '../../../contract/resources/message.ts'
import type { NetworkError } from '../../../networks/driver/outcome.ts'
import { batchStatement, type Sql } from '../../../store/statement.ts'
import {
  isForeign,
  type OfTurn,
  type Transaction,
  transaction,
  transactionOfMany,
} from '../../../store/store.ts'
import { type CurrentMessage, currentMessage, currentMessages } from '../../current-message.ts'
import { isSettled, life, stateOf } from '../../life.ts'
import { messageIdFrom } from '../../message.ts'
import { appendMessageEvents } from '../../message-events.ts'
import { storedError } from '../../stored-error.ts'
import { usableIds } from '../queue/assigned-ids.ts'
import { settleCorrectionsOf } from '../queue/corrections.ts'
import { tellFollowers } from '../queue/followers.ts'
import { leaveQueue } from '../queue/leave-queue.ts'
import { reached, writeChanges } from '../queue/settle.ts'

/** The message of an observation, as the network names it. */
export interface MessageNamed extends OfTurn {
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

/** A message that an observation changed. */
export interface ReportedMessage {
  readonly id: string
  /** True if it was unsettled until then, so that the next of its lane may be sent. */
  readonly wasUnsettled: boolean
}

/** The messages that an instance sent. A person does not confirm messages of their own. */
const sentOf = (sql: Sql, instance: string) =>
  currentMessages(sql).where('instance_id', '=', instance).where('messages.incoming', '=', 0)

const selectSentByNetworkId = batchStatement({ networkId: 'text', instance: 'text' })((sql, given) =>
  sentOf(sql, given('instance')).where('messages.network_message_id', '=', given('networkId')),
)

/** The same by their own ids. */
const selectSentById = batchStatement({ id: 'text', instance: 'text' })((sql, given) =>
  sentOf(sql, given('instance')).where('messages.id', '=', given('id')),
)

const noteReceipts = batchStatement<{ seq: number; delivered: number; read: number | null }>({
  ...{ seq: 'bigint', delivered: 'bigint', read: 'bigint' },
})((sql, given) =>
  sql
    .updateTable('outbox')
    .set({ delivered_at: given('delivered'), read_at: given('read') })
    .where('seq', '=', given('seq')),
)

const keepNetworkId = batchStatement({ seq: 'bigint', networkId: 'text' })((sql, given) =>
  sql
    .updateTable('messages')
    .set({ network_message_id: given('networkId') })
    .where('seq', '=', given('seq')),
)

/** Others refer to a message by the id that a group gave it as they do to one of a person by the id that its writer gave it. */
const keepSharedId = batchStatement({ seq: 'bigint', sharedId: 'text' })((sql, given) =>
  sql
    .updateTable('messages')
    .set({ sender_message_id: given('sharedId') })
    .where('seq', '=', given('seq'))
    .where('sender_message_id', 'is', null),
)

const remove = batchStatement({ seq: 'bigint' })((sql, given) =>
  sql.deleteFrom('outbox').where('seq', '=', given('seq')).returning(['seq', 'leads_lane', 'awaited']),
)

/** Rows of two addresses of one person. */
const selectAlias = batchStatement({ instance: 'text', address: 'text', other: 'text' })((sql, given) =>
  sql
    .selectFrom('contact_addresses')
    .innerJoin('contact_addresses as others', (join) =>
      join
        .onRef('others.instance_id', '=', 'contact_addresses.instance_id')
        .onRef('others.contact', '=', 'contact_addresses.contact'),
    )
    .select([
      'contact_addresses.instance_id as instance',
      'contact_addresses.address',
      'others.address as other',
    ])
    .where('contact_addresses.instance_id', '=', given('instance'))
    .where('contact_addresses.address', '=', given('address'))
    .where('others.address', '=', given('other')),
)

/**
 * Advances a message according to a receipt of its recipient's side. A receipt may come before the network's acknowledgement,
 * and twice; while an attempt is under way it is only noted, and counts when the attempt ends. A message with a receipt needs
 * no further attempt. Returns the message if it changed, or null.
 */
export const recordReceipt = transactionOfMany(
  'receipts.record',
  async (tx, receipts: readonly MessageReceipt[]): Promise<(ReportedMessage | null)[]> => {
    const reports = receipts.map((): ReportedMessage | null => null)
    let left = [...receipts.entries()]
    while (left.length > 0) left = await recordSome(tx, left, reports)
    return reports
  },
  // A receipt may come from an address that was told right before.
  { keepsOrder: true, isToldTurn: true },
)

type Numbered = [index: number, receipt: MessageReceipt]

/** Records receipts, but only the first of each message; returns those that are left. */
async function recordSome(
  tx: Transaction,
  receipts: readonly Numbered[],
  reports: (ReportedMessage | null)[],
): Promise<Numbered[]> {
  const found = await findSent(
    tx,
    receipts.map(([, receipt]) => receipt),
  )
  const left: Numbered[] = []
  const indexes = new Map<number, number>()
  const confirming: Confirming[] = []
  for (const [place, numbered] of receipts.entries()) {
    const row = found[place]
    const [index, receipt] = numbered
    if (!row) continue
    if (indexes.has(row.seq)) left.push(numbered)
    else {
      indexes.set(row.seq, index)
      confirming.push({ row: await asNamed(tx, row, receipt), ...receipt })
    }
  }
  for (const { seq, ...report } of await confirm(tx, confirming)) reports[indexes.get(seq) ?? -1] = report
  return left
}

/** The message with the id on its network that the observation may have revealed. */
export async function asNamed(
  tx: Transaction,
  row: CurrentMessage,
  named: MessageNamed,
): Promise<CurrentMessage> {
  return { ...row, network_message_id: await networkIdNow(tx, row, named) }
}

/** A message, and what its recipient's side said of it. */
export interface Confirming extends Pick<MessageReceipt, 'state' | 'at'> {
  readonly row: CurrentMessage
}

/** Advances different messages, all at once; returns those that changed, in this order. */
export async function confirm(
  tx: Transaction,
  messages: readonly Confirming[],
): Promise<(ReportedMessage & { readonly seq: number })[]> {
  // A message that the account sent elsewhere has its first event once its file is there.
  const known = messages.filter(({ row }) => row.awaits_file === 0 || row.status !== 'sent')
  const confirmed = known.map(({ row, state, at }) => ({
    was: row,
    state,
    row: {
      ...row,
      sent_at: row.sent_at ?? at,
      delivered_at: row.delivered_at ?? at,
      read_at: row.read_at ?? (state === 'read' ? at : null),
    },
  }))
  const underway = confirmed.filter(({ was }) => was.underway === 1)
  note(
    tx,
    underway.map(({ row }) => row),
  )
  const settling = confirmed.flatMap(({ was, row, state }) => {
    const before = stateOf(was)
    const status = was.underway === 1 ? before : life[before][state]
    const changes = status !== before && (status === 'delivered' || status === 'read')
    return changes ? [{ was: was.status, row: { ...row, status } }] : []
  })
  await change(tx, settling, Math.max(0, ...messages.map(({ at }) => at)))
  return settling.map((changing) => ({ ...reported(changing), seq: changing.row.seq }))
}

/** Notes receipts that came while an attempt was under way. */
function note(tx: Transaction, messages: readonly CurrentMessage[]): void {
  const noted = messages.map(({ seq, delivered_at, read_at }) => {
    return { seq, delivered: delivered_at ?? 0, read: read_at }
  })
  tx.sendForEach(noteReceipts, noted)
  const named = messages.flatMap(({ seq, network_message_id: networkId }) =>
    networkId === null ? [] : [{ seq, networkId }],
  )
  tx.sendForEach(keepNetworkId, named)
}

/**
 * Settles a message as sent because the network shows that it has it, though the answer to an attempt was lost. While another
 * attempt is under way, its own outcome decides. Returns the message, or null if nothing changed.
 */
export const recordAcknowledged = transaction(
  'receipts.acknowledged',
  async (tx, shown: Acknowledged): Promise<ReportedMessage | null> => {
    const [row] = await findSent(tx, [{ ...shown, from: null }])
    if (!row) return null
    const { sharedId } = shown
    if (sharedId !== undefined && sharedId.length <= longestId)
      tx.sendForEach(keepSharedId, [{ seq: row.seq, sharedId }])
    const state = stateOf(row)
    if (life[state].shown === state) return null
    const { at } = shown
    const network_message_id = await networkIdNow(tx, row, shown)
    const sent = { ...row, status: 'sent', network_message_id, sent_at: at, error: null } as const
    const changing = { was: row.status, row: sent }
    await change(tx, [changing], at)
    return reported(changing)
  },
  { isToldTurn: true },
)

export interface Acknowledged extends MessageNamed {
  /** The id by which the others in a group refer to it, if that is another. */
  readonly sharedId?: string | undefined
}

const longestId = 255

export interface Return extends MessageNamed {
  /** The normalised address that the message was for; null if the network vouches for it by the id. */
  readonly from: string | null
  readonly error: NetworkError
}

/**
 * Marks a message as failed that the network accepted and then gave back. The return may come before the acknowledgement,
 * which then no longer matters. If an earlier attempt ended without an answer and another is still to come or under way, it
 * is uncertain which of them was given back. Returns the message, or null if nothing changed.
 */
export const recordReturn = transaction(
  'receipts.return',
  async (tx, returned: Return): Promise<ReportedMessage | null> => {
    const [row] = await findSent(tx, [returned])
    if (!row || row.delivered_at !== null) return null
    const state = stateOf(row)
    const status = life[state].returned
    if (status === state || (status !== 'failed' && status !== 'unknown')) return null
    const sent_at = status === 'failed' ? (row.sent_at ?? returned.at) : null
    const error = storedError(returned.error)
    const network_message_id = await networkIdNow(tx, row, returned)
    const back = { ...row, status, network_message_id, sent_at, error }
    const changing = { was: row.status, row: back }
    await change(tx, [changing], returned.at)
    return reported(changing)
  },
  { isToldTurn: true },
)

/** A message as it is to be, and the status that it has. */
interface Changing {
  readonly was: MessageStatus
  readonly row: CurrentMessage
}

function reported({ was, row: { id } }: Changing): ReportedMessage {
  return { id, wasUnsettled: !isSettled(was) }
}

/** Changes messages and appends their events; those that were not settled leave the outbox. */
async function change(tx: Transaction, changing: readonly Changing[], at: number): Promise<void> {
  const waiting = changing.filter(({ was }) => !isSettled(was))
  const removed = await tx.allForEach(
    remove,
    waiting.map(({ row: { seq } }) => ({ seq })),
  )
  const led = new Map(removed.map(({ seq, leads_lane }) => [seq, leads_lane === 1]))
  const wereUnknown = changing.flatMap(({ was, row }) => (was === 'unknown' ? [row.seq] : []))
  const awaited = new Set(removed.flatMap((row) => (row.awaited === 1 ? [row.seq] : [])))
  tellFollowers(tx, [...wereUnknown, ...awaited], at)
  const statuses = new Map(changing.map(({ was, row: { seq } }) => [seq, was]))
  const rows = await writeChanges(
    tx,
    changing.map(({ row }) => row),
    at,
  )
  const changed = rows.map((row) => {
    const { seq } = row
    const [was, leads] = [statuses.get(seq) ?? 'sending', led.get(seq) ?? false]
    return { row, was, led: leads, awaited: awaited.has(seq) }
  })
  const left = changed.filter(({ was }) => isSettled(was))
  const leaving = changed.filter(({ was }) => !isSettled(was))
  if (left.length > 0) await appendMessageEvents(tx, left, at)
  if (leaving.length > 0) await leaveQueue(tx, leaving, at)
  const known = left.filter(({ was, row }) => was === 'unknown' && reached.includes(row.status))
  const corrections = await settleCorrectionsOf(
    tx,
    known.map(({ row }) => row.seq),
    at,
  )
  if (corrections.length > 0) await leaveQueue(tx, corrections, at)
}

/** The id of a message on its network, once the observation may have revealed it. */
async function networkIdNow(
  tx: Transaction,
  { seq, instance, ...row }: CurrentMessage,
  { assignedId: assigned }: MessageNamed,
): Promise<string | null> {
  if (row.network_message_id !== null || row.id_assigned === 0 || assigned === undefined)
    return row.network_message_id
  return (await usableIds(tx, [{ seq, instance, assigned }])).get(seq) ?? null
}

/** The messages with these ids, if their instances sent them. */
export async function sentWithIds(
  tx: Transaction,
  named: readonly { readonly id: string; readonly instance: string }[],
): Promise<CurrentMessage[]> {
  return (await tx.allForEach(selectSentById, named)).map(currentMessage)
}

type Named = MessageNamed & Pick<MessageReceipt, 'from'>

/**
 * Returns the messages that observations name, in their order: none if an address other than its recipient's confirms or
 * returns it.
 */
export async function findSent(
  tx: Transaction,
  named: readonly Named[],
): Promise<(CurrentMessage | undefined)[]> {
  const rows = (await findNamed(tx, named)).map((row, index) =>
    row && isForeign(named[index] as Named, row.organization_id) ? undefined : row,
  )
  // The recipient may have other addresses.
  const others = named.flatMap((one, index) => aliasIn(one, rows[index]) ?? [])
  const known = new Set((await tx.allForEach(selectAlias, others)).map(textOf))
  return rows.map((row, index) => {
    const alias = aliasIn(named[index] as Named, row)
    return alias === null || known.has(textOf(alias)) ? row : undefined
  })
}

/** A message can be named by our id even if its network assigned another. */
async function findNamed(tx: Transaction, named: readonly Named[]): Promise<(CurrentMessage | undefined)[]> {
  const asked = named.map(({ instanceId: instance, networkMessageId: networkId }) => {
    return { instance, networkId, id: messageIdFrom(networkId) }
  })
  const derived = asked.flatMap(({ instance, id }) => (id === null ? [] : { instance, id }))
  const byOwnId = new Map(
    (await sentWithIds(tx, derived)).map((row) => [`${row.instance_id} ${row.id}`, row]),
  )
  const ownOf = ({ instance, id }: (typeof asked)[number]) => byOwnId.get(`${instance} ${id}`)
  const assigned = asked.flatMap((one) =>
    ownOf(one) ? [] : { instance: one.instance, networkId: one.networkId },
  )
  const byNetworkId = new Map(
    (await tx.allForEach(selectSentByNetworkId, assigned)).map((row) => [
      `${row.instance_id} ${row.network_message_id}`,
      currentMessage(row),
    ]),
  )
  return asked.map((one) => ownOf(one) ?? byNetworkId.get(`${one.instance} ${one.networkId}`))
}

interface Alias {
  readonly instance: string
  readonly address: string
  readonly other: string
}

const textOf = ({ instance, address, other }: Alias) => JSON.stringify([instance, address, other])

/** The address that an observation of a message comes from, if it is not the recipient's. */
function aliasIn({ instanceId: instance, from }: Named, row: CurrentMessage | undefined): Alias | null {
  if (!row || from === null || row.recipient === from) return null
  return { instance, address: from, other: row.recipient }
}
