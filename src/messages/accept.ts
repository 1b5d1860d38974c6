import {
  type IdempotencyScope,
  type KeptReply,
  keepReply,
  recallReply,
} from '../organizations/idempotency.ts'
import { statement, unsettled } from '../store/statement.ts'
import { type Transaction, transaction } from '../store/store.ts'
import type { NewMessage } from './message.ts'
import { joined } from './outbox.ts'

export interface AcceptArgs {
  readonly message: NewMessage
  /** Unsettled messages that the instance may have; null for any number. */
  readonly queueLimit: number | null
  /** What recognises a repetition, and the reply to keep for it. */
  readonly idempotency: { readonly scope: IdempotencyScope; readonly reply: KeptReply } | null
}

export type Accepted =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'replay'; readonly reply: KeptReply }
  | { readonly kind: 'mismatch' }
  | { readonly kind: 'queue_full' }
  | { readonly kind: 'instance_gone' }
  | { readonly kind: 'instance_deleting' }

const takeQueuePlace = statement<{ instance: string; limit: number }>()((sql, argument) =>
  sql
    .updateTable('instances')
    .set((eb) => ({ queue_depth: eb('queue_depth', '+', 1) }))
    .where('id', '=', argument('instance'))
    .where('wanted', '!=', 'removed')
    .where('queue_depth', '<', argument('limit')),
)

/*
 * An earlier message to the same recipient that is unsettled has the turn or waits for it. One that is scheduled for
 * later takes its place only when its time comes.
 */
const selectEarlier = statement<{ instance: string; recipient: string; now: number }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select('seq')
    .where('instance_id', '=', argument('instance'))
    .where('recipient', '=', argument('recipient'))
    .where(unsettled)
    .where(joined(argument('now')))
    .limit(1),
)

const insertMessage = statement<NewMessage & { turn_at: number | null }>()((sql, argument) =>
  sql.insertInto('messages').values({
    id: argument('id'),
    organization_id: argument('organization_id'),
    instance_id: argument('instance_id'),
    instance_name: argument('instance_name'),
    recipient: argument('recipient'),
    kind: argument('kind'),
    status: 'queued',
    text: argument('text'),
    network_message_id: argument('network_message_id'),
    client_ref: argument('client_ref'),
    metadata: argument('metadata'),
    created_at: argument('created_at'),
    send_at: argument('send_at'),
    expires_at: argument('expires_at'),
    turn_at: argument('turn_at'),
  }),
)

/** More than any queue holds, and no more than the column does. */
const unlimited = 2 ** 31 - 1

/** Accepts a message: queue place, message and idempotency key are kept together or not at all. */
export const acceptMessage = transaction(
  'messages.accept',
  async (tx, args: AcceptArgs): Promise<Accepted> => {
    const { message, idempotency } = args
    const recalled = idempotency && (await recallReply(tx, idempotency.scope))
    if (recalled) return recalled
    const limit = args.queueLimit ?? unlimited
    const taken = await tx.run(takeQueuePlace, { instance: message.instance_id, limit })
    if (taken === 0) return { kind: await whyNoPlace(tx, message.instance_id) }
    await tx.run(insertMessage, { ...message, turn_at: await firstTurn(tx, message) })
    if (idempotency) await keepReply(tx, idempotency.scope, idempotency.reply, message.created_at)
    return { kind: 'accepted' }
  },
)

async function firstTurn(tx: Transaction, message: NewMessage): Promise<number | null> {
  if (message.send_at !== null && message.send_at > message.created_at) return message.send_at
  const lane = { instance: message.instance_id, recipient: message.recipient, now: message.created_at }
  return (await tx.first(selectEarlier, lane)) ? null : message.created_at
}

async function whyNoPlace(
  tx: Transaction,
  instance: string,
): Promise<'queue_full' | 'instance_gone' | 'instance_deleting'> {
  const row = await tx.first(tx.sql.selectFrom('instances').select('wanted').where('id', '=', instance))
  if (!row) return 'instance_gone'
  return row.wanted === 'removed' ? 'instance_deleting' : 'queue_full'
}
