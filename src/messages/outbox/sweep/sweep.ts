import type { ExpressionBuilder } from 'kysely'
import { sees } from '../../../contract/operation.ts'
import type { AuditNote } from '../../../contract/resources/audit.ts'
import { releaseMedia } from '../../../media/media-record.ts'
import { keepAudit } from '../../../organizations/audit-log.ts'
import { bytesOfMessage, partOf } from '../../../store/page.ts'
import type { RowOf, Schema } from '../../../store/schema.ts'
import { batchStatement, statement, unsettled } from '../../../store/statement.ts'
import { type Transaction, transaction } from '../../../store/store.ts'
import { life, stateOf } from '../../life.ts'
import { type MessageRow, mayHaveFile } from '../../message.ts'
import { changedBy, settledBy, timeOfLastEvent } from '../../transition.ts'
import { leaveForGood, leaveQueue } from '../queue/leave-queue.ts'

/** The facts about a message that leaves the queue without the end of an attempt. */
export type QueuedMessage = Pick<RowOf<'messages'>, 'id' | 'seq' | 'instance_id'>

/** The columns of a message that departs. */
export const queuedColumns = ['id', 'seq', 'instance_id'] as const

/** The events that settle a message without the end of an attempt. */
type Departure = 'expired' | 'canceled' | 'discarded' | 'unanswered'

const selectExpired = statement<{ now: number; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select([...queuedColumns, bytesOfMessage])
    .where(unsettled)
    .where('expires_at', '<=', argument('now'))
    .where(changedBy('expired'))
    .orderBy('expires_at')
    .limit(argument('limit')),
)

/**
 * Gives up messages whose time is over, oldest first, at most `limit` and a megabyte at a time; returns them, and whether there may be
 * more. One whose attempt ended without an answer becomes `unknown`, not `expired`: it may have arrived. One whose attempt is under way
 * is left until it ends.
 */
export const expireMessages = transaction(
  'messages.expire',
  async (tx, args: { now: number; limit: number }) => {
    const { rows, more } = partOf(await tx.all(selectExpired, args), args.limit)
    await settleWithoutAttempt(tx, rows, 'expired', args.now)
    return { expired: rows.map(({ id, instance_id }) => ({ id, instanceId: instance_id })), more }
  },
)

const selectQueue = statement<{ instanceId: string; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select(['seq', bytesOfMessage])
    .where('instance_id', '=', argument('instanceId'))
    .where(unsettled)
    .limit(argument('limit')),
)

/**
 * Cancels the queued messages of an instance that is being removed, at most `limit` and a megabyte at a time; returns their ids, and
 * whether there may be more. No lane gets a new leader, because the instance sends nothing more.
 */
export const discardQueue = transaction(
  'messages.discard',
  async (tx, args: { instanceId: string; now: number; limit: number }) => {
    const { rows, more } = partOf(await tx.all(selectQueue, args), args.limit)
    const canceled = await tx.allForEach(
      settleBy.discarded,
      rows.map(({ seq }) => ({ seq, now: args.now })),
    )
    await leaveForGood(
      tx,
      canceled.map((row) => ({ row })),
      args.now,
    )
    await releaseUnsent(tx, canceled, args.now)
    return { ids: canceled.map(({ id }) => id), more }
  },
)

const departed = (departure: Departure) => (eb: ExpressionBuilder<Schema, 'messages'>) => ({
  ...settledBy(departure)(eb),
  sent_at: eb.fn.coalesce('sent_at', 'delivered_at'),
})

const settleDeparted = (departure: Departure) =>
  batchStatement({ seq: 'bigint', now: 'bigint' })((sql, argument) =>
    sql
      .updateTable('messages')
      .set((eb) => ({ ...departed(departure)(eb), last_event_at: timeOfLastEvent(argument('now'))(eb) }))
      .where('seq', '=', argument('seq'))
      .where(changedBy(departure))
      .returningAll(),
  )

const settleBy = {
  expired: settleDeparted('expired'),
  canceled: settleDeparted('canceled'),
  discarded: settleDeparted('discarded'),
  unanswered: settleDeparted('unanswered'),
} as const

/** Settles messages without an attempt ending; each becomes what its state makes of the departure. */
export async function settleWithoutAttempt(
  tx: Transaction,
  messages: readonly QueuedMessage[],
  departure: Departure,
  now: number,
): Promise<void> {
  const settled = await tx.allForEach(
    settleBy[departure],
    messages.map(({ seq }) => ({ seq, now })),
  )
  await leaveQueue(
    tx,
    settled.map((row) => ({ row })),
    now,
  )
  await releaseUnsent(tx, settled, now)
}

/** At once releases the files of messages that were not sent, so that their organization has the room for others. */
async function releaseUnsent(tx: Transaction, settled: readonly MessageRow[], now: number): Promise<void> {
  for (const row of settled) {
    if (mayHaveFile(row) && (row.status === 'canceled' || row.status === 'expired'))
      await releaseMedia(tx, { messageId: row.id, expiresAt: now })
  }
}

/** The result of a cancellation. */
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
        .select([...queuedColumns, 'instance_name', 'status', 'underway', 'uncertain'])
        .where('id', '=', args.id)
        .where('organization_id', '=', args.organizationId),
    )
    if (!row || !sees(args, row.instance_name)) return { kind: 'not_found' }
    const canceled = { kind: 'canceled', instanceId: row.instance_id } as const
    if (row.status === 'canceled') return canceled
    const next = life[stateOf(row)].canceled
    // An attempt that ended without an answer is left to its repetition; what a backup had queued is given up as `unknown`.
    const isCancelable = next === 'canceled' || (next === 'unknown' && row.status === 'queued')
    if (!isCancelable) return { kind: 'not_cancelable' }
    await settleWithoutAttempt(tx, [row], 'canceled', args.now)
    await keepAudit(tx, args.audit, { instance: row.instance_name })
    return canceled
  },
)
