import { statement, unsettled } from '../store/statement.ts'
import { type Transaction, transaction } from '../store/store.ts'
import { leaveQueue, passTurn } from './outbox.ts'

/** A message that left the queue without an attempt ending: its id, for those who wait for it, and its lane. */
export interface Departed {
  readonly id: string
  readonly seq: number
  readonly instance_id: string
  readonly recipient: string
}

const selectExpired = statement<{ now: number; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select(['id', 'seq', 'instance_id', 'recipient'])
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

/** Cancels what an instance that is being removed still has queued, at most `limit` at a time; tells which. */
export const discardQueue = transaction(
  'messages.discard',
  async (tx, args: { instanceId: string; now: number; limit: number }) => {
    const waiting = await tx.all(
      tx.sql
        .selectFrom('messages')
        .select(['id', 'seq', 'instance_id', 'recipient'])
        .where('instance_id', '=', args.instanceId)
        .where(unsettled)
        .limit(args.limit),
    )
    await depart(tx, waiting, 'canceled', args.now)
    return waiting.map(({ id }) => id)
  },
)

/** A receipt that was noted while an attempt was under way says more than that nobody waited for its end. */
const settleDeparted = statement<{ seq: number; status: 'expired' | 'canceled'; now: number }>()(
  (sql, argument) =>
    sql
      .updateTable('messages')
      .set((eb) => ({
        status: eb
          .case()
          .when('read_at', 'is not', null)
          .then('read' as const)
          .when('delivered_at', 'is not', null)
          .then('delivered' as const)
          .when(
            eb.or([
              eb('uncertain', '=', 1),
              eb.and([eb('status', '=', 'sending'), eb('turn_at', 'is', null)]),
            ]),
          )
          .then('unknown' as const)
          .else(argument('status'))
          .end(),
        sent_at: eb
          .case()
          .when('delivered_at', 'is not', null)
          .then(argument('now'))
          .else(eb.ref('sent_at'))
          .end(),
        turn_at: null,
      }))
      .where('seq', '=', argument('seq')),
)

/** Settles messages without an answer: as `unknown` where one may have reached the network, else as `status`. */
export async function depart(
  tx: Transaction,
  messages: readonly Departed[],
  status: 'expired' | 'canceled',
  now: number,
): Promise<void> {
  const places = new Map<string, number>()
  for (const { seq, instance_id } of messages) {
    await tx.run(settleDeparted, { seq, status, now })
    places.set(instance_id, (places.get(instance_id) ?? 0) + 1)
  }
  for (const [instance, count] of places) await leaveQueue(tx, instance, count)
  // Once for each lane: to find its next message may take as long as the lane is.
  const lanes = new Map(messages.map((message) => [`${message.instance_id} ${message.recipient}`, message]))
  for (const { instance_id, recipient } of lanes.values())
    await passTurn(tx, { instance: instance_id, recipient, now })
}

/** How a cancellation ended. */
export type Canceled =
  | { readonly kind: 'canceled'; readonly instanceId: string }
  | { readonly kind: 'not_cancelable' }
  | { readonly kind: 'not_found' }

/** Cancels one message, if no attempt is under way for it and none ended without an answer. */
export const cancelMessage = transaction(
  'messages.cancel',
  async (tx, args: { organizationId: string; id: string; now: number }): Promise<Canceled> => {
    const row = await tx.first(
      tx.sql
        .selectFrom('messages')
        .select(['id', 'seq', 'instance_id', 'recipient', 'status', 'turn_at', 'uncertain'])
        .where('id', '=', args.id)
        .where('organization_id', '=', args.organizationId),
    )
    if (!row) return { kind: 'not_found' }
    const canceled = { kind: 'canceled', instanceId: row.instance_id } as const
    if (row.status === 'canceled') return canceled
    const waiting =
      row.status === 'queued' || (row.status === 'sending' && row.turn_at !== null && row.uncertain === 0)
    if (!waiting) return { kind: 'not_cancelable' }
    await depart(tx, [row], 'canceled', args.now)
    return canceled
  },
)
