import type { MessageStatus } from '../../../contract/statuses.ts'
import type { NetworkError } from '../../../networks/driver/outcome.ts'
import { tables } from '../../../store/schema.ts'
import { batchStatement, valuesOf } from '../../../store/statement.ts'
import type { Transaction } from '../../../store/store.ts'
import { typesOf } from '../../../store/tables/columns.ts'
import { type KeptOf, keptStatus, seen } from '../../../store/tables/kept-message.ts'
import type { MessageEvent } from '../../life.ts'
import type { MessageRow } from '../../message.ts'
import type { MessageOfEvent } from '../../message-events.ts'
import { instancesNumbered, type MessageInstance } from '../../message-instances.ts'
import { keptTime } from '../../message-times.ts'
import { changedBy, settledStatus, type Waiting } from '../../transition.ts'
import { tellFollowers } from './followers.ts'

/*
 * Settling: a message leaves the outbox, and its own row says from then on what became of it.
 */

const removedColumns = [
  'seq',
  'instance',
  'status',
  'attempts',
  'last_attempt_at',
  'error',
  'delivered_at',
  'read_at',
  'underway',
  'uncertain',
  'leads_lane',
  'awaited',
  'target_seq',
  'included',
] as const

/** A row that was removed from the outbox. */
export interface Removed extends Waiting, Pick<MessageRow, 'seq' | 'attempts' | 'last_attempt_at' | 'error'> {
  /** The number of its instance. */
  readonly instance: number
  readonly leads_lane: number
  readonly awaited: number
  /** The message that it is about. */
  readonly target_seq: number | null
  /** 1 if its text was to leave with the message that it corrects. */
  readonly included: number
}

/** Statuses of messages that the network has. */
export const reached: readonly MessageStatus[] = ['sent', 'delivered', 'read']

/** A message in the outbox, with the number of its instance: nothing of another instance is settled by mistake. */
export interface OutboxPlace {
  readonly seq: number
  readonly instance: number
}

const places = { seq: 'bigint', instance: 'bigint' } as const

/** Removes messages from the outbox that an event settles. */
export const removedBy = (event: MessageEvent) =>
  batchStatement<OutboxPlace>(places)((sql, given) =>
    sql
      .deleteFrom('outbox')
      .where('seq', '=', given('seq'))
      .where('instance', '=', given('instance'))
      .where(changedBy(event))
      .returning(removedColumns),
  )

/** Removes messages from the outbox whose receipt came before their attempt ended: they need no other attempt. */
export const removeProven = batchStatement<OutboxPlace>(places)((sql, given) =>
  sql
    .deleteFrom('outbox')
    .where('seq', '=', given('seq'))
    .where('instance', '=', given('instance'))
    .where('delivered_at', 'is not', null)
    .where(changedBy('acknowledged'))
    .returning(removedColumns),
)

/**
 * Removes messages from the outbox that the end of their attempt settles. Only an attempt that is under way can end, so an outcome
 * that a call with a lost answer settled already is not settled twice.
 */
export const removedByAttempt = (event: MessageEvent) =>
  batchStatement<OutboxPlace & { attempt: number }>({ ...places, attempt: 'integer' })((sql, given) =>
    sql
      .deleteFrom('outbox')
      .where('seq', '=', given('seq'))
      .where('instance', '=', given('instance'))
      .where('attempts', '=', given('attempt'))
      .where('underway', '=', 1)
      .where(changedBy(event))
      .returning(removedColumns),
  )

const changedColumns = ['seq', 'status', 'attempts', 'error', 'notices', 'network_message_id'] as const
const changedTimes = ['last_attempt_at', 'sent_at', 'delivered_at', 'read_at'] as const

/**
 * The columns that a change writes, and the number of the instance. An id that the message has on its network stays; so do its notices
 * if there are none here.
 */
export interface Change
  extends Pick<MessageRow, (typeof changedColumns)[number] | (typeof changedTimes)[number]> {
  readonly instance: number
}

const fixedColumns = ['id', 'recipient', 'kind', 'sent_elsewhere', 'id_assigned', 'unsupported'] as const

const writeChange = batchStatement<KeptOf<Omit<Change, 'instance'> & Pick<MessageRow, 'last_event_at'>>>({
  ...typesOf(tables.messages, changedColumns),
  ...{ last_attempt_at: 'bigint', sent_at: 'bigint', delivered_at: 'bigint', read_at: 'bigint' },
  last_event_at: 'bigint',
})((sql, given) => {
  const { seq, notices, network_message_id, ...others } = valuesOf(given, changedColumns)
  return sql
    .updateTable('messages')
    .set((eb) => ({
      ...others,
      last_attempt_after: keptTime(given('last_attempt_at'))(eb),
      sent_after: keptTime(given('sent_at'))(eb),
      delivered_after: keptTime(given('delivered_at'))(eb),
      read_after: keptTime(given('read_at'))(eb),
      last_event_after: keptTime(given('last_event_at'))(eb),
      notices: eb.fn.coalesce(eb.val(notices), 'notices'),
      network_message_id: eb.fn.coalesce('network_message_id', eb.val(network_message_id)),
    }))
    .where('seq', '=', seq)
    .returning(['seq', 'notices', 'network_message_id', ...fixedColumns])
})

/** A message after a change of which there is an event. */
export interface Changed extends MessageOfEvent, Pick<MessageRow, 'recipient' | 'last_attempt_at'> {
  readonly instance: number
}

/** Writes what became of messages, each named once; returns them in this order. A caller may know their instances, by their numbers. */
export async function writeChanges(
  tx: Transaction,
  changes: readonly Change[],
  now: number,
  known?: ReadonlyMap<number, MessageInstance>,
): Promise<Changed[]> {
  const instances =
    known ??
    (await instancesNumbered(
      tx,
      changes.map(({ instance }) => instance),
    ))
  const instanceOf = ({ instance }: Change) => instances.get(instance) as MessageInstance
  const rows = await tx.allForEach(
    writeChange,
    changes.map((change) => ({
      ...change,
      status: keptStatus(change.status),
      // As `timeOfEvent` finds it.
      last_event_at: Math.max(now, instanceOf(change).last_event_at),
    })),
  )
  const bySeq = new Map(rows.map((row) => [row.seq, row]))
  return changes.flatMap((change) => {
    const row = bySeq.get(change.seq)
    const { organization_id, instance_id, instance_name } = instanceOf(change)
    return row ? [{ ...change, ...seen(row), organization_id, instance_id, instance_name }] : []
  })
}

/** The facts that an event tells of a message that it settles, beside its status. */
interface Told {
  /** When the network accepted it; null if it did not. */
  readonly acceptedAt?: number
  /** Null for none; that of the outbox if missing. */
  readonly error?: string | null
  readonly networkId?: string | null
  readonly notices?: string | null
}

/** Returns what becomes of a message that an event removed from the outbox. */
export function changeBy(event: MessageEvent, removed: Removed, told: Told = {}): Change {
  const { seq, instance, attempts, last_attempt_at, delivered_at, read_at } = removed
  const { acceptedAt, error = removed.error, networkId = null, notices = null } = told
  const isBefore = acceptedAt === undefined || (delivered_at !== null && delivered_at < acceptedAt)
  return {
    ...{ seq, instance, attempts, last_attempt_at, delivered_at, read_at, error, notices },
    status: settledStatus(removed, event),
    network_message_id: networkId,
    // If the recipient's side confirmed the message before the answer came, the message was sent before that.
    sent_at: isBefore ? delivered_at : acceptedAt,
  }
}

/** A message that left the outbox. */
export interface LeftOutbox {
  readonly row: Changed
  /** True if others to the same recipient waited for it. */
  readonly led: boolean
  /** True if messages about it may wait for it. */
  readonly awaited: boolean
  readonly was?: MessageRow['status']
}

/** Writes what became of messages that were removed from the outbox. */
export async function writeSettled(
  tx: Transaction,
  settled: readonly { readonly removed: Removed; readonly change: Change }[],
  now: number,
  known?: ReadonlyMap<number, MessageInstance>,
): Promise<LeftOutbox[]> {
  const led = new Map(settled.map(({ removed: { seq, leads_lane } }) => [seq, leads_lane === 1]))
  const awaited = new Set(settled.flatMap(({ removed }) => (removed.awaited === 1 ? [removed.seq] : [])))
  tellFollowers(tx, [...awaited], now)
  const rows = await writeChanges(
    tx,
    settled.map(({ change }) => change),
    now,
    known,
  )
  return rows.map((row) => ({ row, led: led.get(row.seq) ?? false, awaited: awaited.has(row.seq) }))
}

/** A message that was settled without an attempt: as failed or, without an error, as sent with another one. */
export interface RefusedUnsent {
  readonly id: string
  readonly instance: number
  readonly error: NetworkError | null
}

/** Corrections that were sent with other messages, by their numbers. */
export function sentWithOthers(left: readonly LeftOutbox[]): ReadonlyMap<number, RefusedUnsent> {
  return new Map(left.map(({ row: { seq, id, instance } }) => [seq, { id, instance, error: null }]))
}
