import type { ExpressionBuilder, Selectable } from 'kysely'
import type { AuditNote } from '../contract/audit.ts'
import { sees } from '../contract/handler.ts'
import { releaseMedia } from '../media/media-record.ts'
import { keepAudit } from '../organizations/audit-log.ts'
import type { MessagesTable, Schema } from '../store/schema.ts'
import { statement, unsettled } from '../store/statement.ts'
import { type Transaction, transaction } from '../store/store.ts'
import { hasTurn, passTurn } from './lane.ts'
import type { MessageRow } from './message.ts'
import { tellMessages } from './message-events.ts'
import { provenOr } from './outbox.ts'
import { leaveQueue } from './settling.ts'

/** What is to be known of a message that leaves the queue without an attempt ending. */
export type Departing = Pick<
  Selectable<MessagesTable>,
  'id' | 'seq' | 'instance_id' | 'recipient' | 'status' | 'turn_at' | 'joins_at'
>

/** The columns of a message that departs. */
export const departing = ['id', 'seq', 'instance_id', 'recipient', 'status', 'turn_at', 'joins_at'] as const

const selectExpired = statement<{ now: number; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select(departing)
    .where(unsettled)
    .where('expires_at', '<=', argument('now'))
    .where((eb) => eb.or([eb('status', '=', 'queued'), eb('turn_at', 'is not', null)]))
    .orderBy('expires_at')
    .limit(argument('limit')),
)

/**
 * Gives up messages whose time is over, oldest first, and tells which. One whose attempt ended without an answer becomes
 * `unknown`, not `expired`: it may have arrived. One whose attempt is under way is left until it ends.
 */
export const expireMessages = transaction(
  'messages.expire',
  async (tx, args: { now: number; limit: number }) => {
    const expired = await tx.all(selectExpired, args)
    await depart(tx, expired, 'expired', args.now)
    return expired.map(({ id, instance_id }) => ({ id, instanceId: instance_id }))
  },
)

const departed =
  (status: 'expired' | 'canceled', now: number) => (eb: ExpressionBuilder<Schema, 'messages'>) => ({
    status: provenOr(
      eb,
      eb
        .case()
        .when(
          eb.or([eb('uncertain', '=', 1), eb.and([eb('status', '=', 'sending'), eb('turn_at', 'is', null)])]),
        )
        .then('unknown' as const)
        .else(status)
        .end(),
    ),
    sent_at: eb.fn.coalesce('sent_at', 'delivered_at'),
    changed_at: now,
    turn_at: null,
  })

/**
 * Cancels what an instance that is being removed still has queued, at most `limit` at a time; tells which. No turn is
 * passed, because nothing is sent any more.
 */
export const discardQueue = transaction(
  'messages.discard',
  async (tx, args: { instanceId: string; now: number; limit: number }) => {
    const some = tx.sql
      .selectFrom('messages')
      .select('seq')
      .where('instance_id', '=', args.instanceId)
      .where(unsettled)
      .limit(args.limit)
    const canceled = await tx.all(
      tx.sql
        .updateTable('messages')
        .set(departed('canceled', args.now))
        .where('seq', 'in', some)
        .returningAll(),
    )
    await tellMessages(tx, canceled, args.now, { settled: true })
    await releaseUnsent(tx, canceled, args.now)
    await leaveQueue(tx, args.instanceId, canceled.length)
    return canceled.map(({ id }) => id)
  },
)

const settleDeparted = statement<{ seq: number; status: 'expired' | 'canceled'; now: number }>()(
  (sql, argument) =>
    sql
      .updateTable('messages')
      .set(departed(argument('status'), argument('now')))
      .where('seq', '=', argument('seq'))
      .returningAll(),
)

/** Settles messages without an answer: as `unknown` where one may have reached the network, else as `status`. */
export async function depart(
  tx: Transaction,
  messages: readonly Departing[],
  status: 'expired' | 'canceled',
  now: number,
): Promise<void> {
  const places = new Map<string, number>()
  const settled: MessageRow[] = []
  for (const { seq, instance_id } of messages) {
    settled.push(...(await tx.all(settleDeparted, { seq, status, now })))
    places.set(instance_id, (places.get(instance_id) ?? 0) + 1)
  }
  await tellMessages(tx, settled, now, { settled: true })
  await releaseUnsent(tx, settled, now)
  for (const [instance, count] of places) await leaveQueue(tx, instance, count)
  // Not before all of them are settled, so that none of them is given the turn.
  for (const message of messages)
    if (hasTurn(message)) await passTurn(tx, { instance: message.instance_id, recipient: message.recipient })
}

/** Lets go at once of the files of messages that were not sent: their organization has the room for others. */
async function releaseUnsent(tx: Transaction, settled: readonly MessageRow[], now: number): Promise<void> {
  for (const { id, kind, status } of settled) {
    if (kind !== 'text' && (status === 'canceled' || status === 'expired'))
      await releaseMedia(tx, { messageId: id, expiresAt: now })
  }
}

/** How a cancellation ended. */
export type Canceled =
  | { readonly kind: 'canceled'; readonly instanceId: string }
  | { readonly kind: 'not_cancelable' }
  | { readonly kind: 'not_found' }

/** Cancels one message, if no attempt is under way for it and none ended without an answer. */
export const cancelMessage = transaction(
  'messages.cancel',
  async (
    tx,
    args: {
      organizationId: string
      id: string
      instances: readonly string[] | null
      now: number
      audit?: AuditNote | undefined
    },
  ): Promise<Canceled> => {
    const row = await tx.first(
      tx.sql
        .selectFrom('messages')
        .select([...departing, 'instance_name', 'uncertain'])
        .where('id', '=', args.id)
        .where('organization_id', '=', args.organizationId),
    )
    if (!row || !sees(args, row.instance_name)) return { kind: 'not_found' }
    const canceled = { kind: 'canceled', instanceId: row.instance_id } as const
    if (row.status === 'canceled') return canceled
    const waiting =
      row.status === 'queued' || (row.status === 'sending' && row.turn_at !== null && row.uncertain === 0)
    if (!waiting) return { kind: 'not_cancelable' }
    await depart(tx, [row], 'canceled', args.now)
    await keepAudit(tx, args.audit, { instance: row.instance_name })
    return canceled
  },
)
