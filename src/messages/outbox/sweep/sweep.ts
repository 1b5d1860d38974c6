import { sees } from '../../../contract/operation.ts'
import type { AuditNote } from '../../../contract/resources/audit.ts'
import { releaseMedia } from '../../../media/media-record.ts'
import { keepAudit } from '../../../organizations/audit-log.ts'
import { bytesOfMessage, partOf } from '../../../store/page.ts'
import { statement } from '../../../store/statement.ts'
import { type OfTurn, type Transaction, transaction } from '../../../store/store.ts'
import { currentMessage, currentMessages } from '../../current-message.ts'
import { life, stateOf } from '../../life.ts'
import { mayHaveFile } from '../../message.ts'
import { numberOf } from '../../message-instances.ts'
import { changedBy } from '../../transition.ts'
import { leavesWithTarget, maySoonArrive, settledBy } from '../queue/corrections.ts'
import { leaveForGood, leaveQueue } from '../queue/leave-queue.ts'
import { type Changed, type LeftOutbox, type OutboxPlace, removedBy, writeSettled } from '../queue/settle.ts'

/** The events that settle a message without the end of an attempt. */
type Departure = 'expired' | 'canceled' | 'discarded' | 'unanswered'

const selectExpired = statement<{ now: number; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('outbox')
    .innerJoin('messages', 'messages.seq', 'outbox.seq')
    .select(['outbox.seq', 'outbox.instance', bytesOfMessage])
    .where('outbox.expires_at', '<=', argument('now'))
    .where(changedBy('expired'))
    .where((eb) => eb.not(leavesWithTarget(eb)))
    .orderBy('outbox.expires_at')
    .limit(argument('limit')),
)

/**
 * Gives up messages whose time is over, oldest first, at most `limit` and a megabyte at a time; returns them, and whether there may be
 * more. One whose attempt ended without an answer becomes `unknown`, not `expired`: it may have arrived. One whose attempt is under way
 * is left until it ends, and so is a correction whose text is in such an attempt.
 */
export const expireMessages = transaction(
  'messages.expire',
  async (tx, args: { now: number; limit: number }) => {
    const { rows, more } = partOf(await tx.all(selectExpired, args), args.limit)
    const expired = await settleWithoutAttempt(tx, rows, 'expired', args.now)
    return { expired: expired.map(({ id, instance_id }) => ({ id, instanceId: instance_id })), more }
  },
)

const selectQueue = statement<{ instance: number; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('outbox')
    .innerJoin('messages', 'messages.seq', 'outbox.seq')
    .select(['outbox.seq', 'outbox.instance', bytesOfMessage])
    .where('outbox.instance', '=', argument('instance'))
    .limit(argument('limit')),
)

/**
 * Cancels the queued messages of an instance that is being removed, at most `limit` and a megabyte at a time; returns their ids, and
 * whether there may be more. No lane gets a new leader, because the instance sends nothing more.
 */
export const discardQueue = transaction(
  'messages.discard',
  async (tx, args: { instanceId: string; now: number; limit: number } & OfTurn) => {
    const { limit } = args
    const instance = await numberOf(tx, args.instanceId, args)
    const { rows, more } = partOf(await tx.all(selectQueue, { instance, limit }), limit)
    const left = await takeOut(tx, rows, 'discarded', args.now)
    await leaveForGood(tx, left, args.now)
    const canceled = left.map(({ row }) => row)
    await releaseUnsent(tx, canceled, args.now)
    return { ids: canceled.map(({ id }) => id), more }
  },
  { isToldTurn: true },
)

const removeBy = {
  expired: removedBy('expired'),
  canceled: removedBy('canceled'),
  discarded: removedBy('discarded'),
  unanswered: removedBy('unanswered'),
} as const satisfies Record<Departure, unknown>

/** Takes messages out of the outbox; each becomes what its state makes of the departure. */
async function takeOut(
  tx: Transaction,
  messages: readonly OutboxPlace[],
  departure: Departure,
  now: number,
): Promise<LeftOutbox[]> {
  const removed = await tx.allForEach(removeBy[departure], messages)
  return writeSettled(tx, await settledBy(tx, departure, removed, now), now)
}

/** Settles messages without an attempt ending; returns those that it settled. */
export async function settleWithoutAttempt(
  tx: Transaction,
  messages: readonly OutboxPlace[],
  departure: Departure,
  now: number,
): Promise<Changed[]> {
  const left = await takeOut(tx, messages, departure, now)
  await leaveQueue(tx, left, now)
  const settled = left.map(({ row }) => row)
  await releaseUnsent(tx, settled, now)
  return settled
}

/** At once releases the files of messages that were not sent, so that their organization has the room for others. */
async function releaseUnsent(tx: Transaction, settled: readonly Changed[], now: number): Promise<void> {
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

const selectLeaving = statement<{ seq: number }>()((sql, argument) =>
  sql.selectFrom('outbox').select('seq').where('seq', '=', argument('seq')).where(maySoonArrive),
)

/**
 * Cancels one message, if no attempt is under way for it and none ended without an answer; nor for the message that it corrects, if it
 * leaves in that.
 */
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
    const found = await tx.first(
      currentMessages(tx.sql)
        .where('messages.id', '=', args.id)
        .where('organization_id', '=', args.organizationId),
    )
    if (!found || !sees(args, found.instance_name)) return { kind: 'not_found' }
    const row = currentMessage(found)
    const canceled = { kind: 'canceled', instanceId: row.instance_id } as const
    if (row.status === 'canceled') return canceled
    const next = life[stateOf(row)].canceled
    // An attempt that ended without an answer is left to its repetition; what a backup had queued is given up as `unknown`.
    const isCancelable = next === 'canceled' || (next === 'unknown' && row.status === 'queued')
    if (!isCancelable || (await tx.first(selectLeaving, row))) return { kind: 'not_cancelable' }
    const [settled] = await settleWithoutAttempt(tx, [row], 'canceled', args.now)
    if (settled?.status === 'sent') return { kind: 'not_cancelable' }
    await keepAudit(tx, args.audit, { instance: row.instance_name })
    return canceled
  },
)
