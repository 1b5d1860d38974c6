import {
  type IdempotencyScope,
  type KeptReply,
  keepReply,
  recallReply,
} from '../../organizations/idempotency.ts'
import { type Argument, statement, unsettled } from '../../store/statement.ts'
import { type Transaction, transaction } from '../../store/store.ts'
import type { NewMessage } from '../message.ts'
import { tellAccepted } from '../message-events.ts'
import { addFile, type NewMessageFile } from '../message-file.ts'
import { endOfQueue, gatherLane } from './lane.ts'

export interface AcceptArgs {
  readonly message: NewMessage
  /** Where it carries one. */
  readonly file?: NewMessageFile
  /** Unsettled messages that the instance may have; null for any number. */
  readonly queueLimit: number | null
  /** Unsettled messages that the organization may have; null for any number. */
  readonly unsettledLimit: number | null
  /** What recognises a repetition, and the reply to keep for it. */
  readonly idempotency: { readonly scope: IdempotencyScope; readonly reply: KeptReply } | null
}

export type Accepted =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'replay'; readonly reply: KeptReply }
  | { readonly kind: 'mismatch' }
  | { readonly kind: 'queue_full' }
  | { readonly kind: 'unsettled_quota_exceeded' }
  | { readonly kind: 'instance_gone' }
  | { readonly kind: 'instance_deleting' }

interface Place {
  readonly instance: string
  readonly limit: number
  readonly unsettled: number
}

/** Counted for the organization as the message is told, in the same transaction. */
const takeQueuePlace = statement<Place>()((sql, argument) =>
  sql
    .updateTable('instances')
    .set((eb) => ({ queue_depth: eb('queue_depth', '+', 1) }))
    .where('id', '=', argument('instance'))
    .where('wanted', '!=', 'removed')
    .where('queue_depth', '<', argument('limit'))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('organizations')
          .select('organizations.id')
          .whereRef('organizations.id', '=', 'instances.organization_id')
          .where('unsettled_messages', '<', argument('unsettled')),
      ),
    ),
)

/** A message that is in the lane, or whose time to join it has come: of both, one that has not joined yet. */
const selectAhead = statement<{ instance: string; recipient: string; now: number }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select('joins_lane_at')
    .where('instance_id', '=', argument('instance'))
    .where('recipient', '=', argument('recipient'))
    .where(unsettled)
    .where('joins_lane_at', '<=', argument('now'))
    .orderBy('joins_lane_at', 'desc')
    .limit(1),
)

/** A message as it is inserted: `awaits_file` is 1 where its file is still to be fetched. */
type MessageToInsert = NewMessage & { readonly awaits_file: number }

const columns = (argument: Argument<MessageToInsert>) => ({
  id: argument('id'),
  organization_id: argument('organization_id'),
  instance_id: argument('instance_id'),
  instance_name: argument('instance_name'),
  recipient: argument('recipient'),
  kind: argument('kind'),
  status: 'queued' as const,
  text: argument('text'),
  network_message_id: argument('network_message_id'),
  client_ref: argument('client_ref'),
  metadata: argument('metadata'),
  created_at: argument('created_at'),
  send_at: argument('send_at'),
  expires_at: argument('expires_at'),
  awaits_file: argument('awaits_file'),
})

const insertQueued = statement<MessageToInsert>()((sql, argument) =>
  sql.insertInto('messages').values({
    ...columns(argument),
    leads_lane: 1,
    queue_position: endOfQueue(sql, argument('instance_id')),
  }),
)

const insertWaiting = statement<MessageToInsert & { leads_lane: number }>()((sql, argument) =>
  sql.insertInto('messages').values({ ...columns(argument), leads_lane: argument('leads_lane') }),
)

const insertScheduled = statement<MessageToInsert & { at: number }>()((sql, argument) =>
  sql
    .insertInto('messages')
    .values({ ...columns(argument), joins_lane_at: argument('at'), due_at: argument('at') }),
)

/** More than any queue or organization holds, and no more than the column does. */
const unlimited = 2 ** 31 - 1

/** Accepts a message: queue place, message, its event and the idempotency key are kept together or not at all. */
export const acceptMessage = transaction(
  'messages.accept',
  async (tx, args: AcceptArgs): Promise<Accepted> => {
    const { message, idempotency } = args
    const recalled = idempotency && (await recallReply(tx, idempotency.scope))
    if (recalled) return recalled
    const place: Place = {
      instance: message.instance_id,
      limit: args.queueLimit ?? unlimited,
      unsettled: args.unsettledLimit ?? unlimited,
    }
    if ((await tx.run(takeQueuePlace, place)) === 0) return { kind: await whyNoPlace(tx, place) }
    await insert(tx, { ...message, awaits_file: args.file?.fetch_at == null ? 0 : 1 })
    if (args.file) await addFile(tx, message.id, args.file)
    await tellAccepted(tx, message, args.file)
    if (idempotency) await keepReply(tx, idempotency.scope, idempotency.reply, message.created_at)
    return { kind: 'accepted' }
  },
)

/** Keeps a message: scheduled, waiting behind others in its lane, or as its leader, which is queued unless it awaits its file. */
async function insert(tx: Transaction, message: MessageToInsert): Promise<void> {
  const { instance_id: instance, recipient, created_at: now, send_at: later } = message
  if (later !== null && later > now) {
    await tx.run(insertScheduled, { ...message, at: later })
    return
  }
  const ahead = await tx.first(selectAhead, { instance, recipient, now })
  if (!ahead) {
    if (message.awaits_file) await tx.run(insertWaiting, { ...message, leads_lane: 1 })
    else await tx.run(insertQueued, message)
    return
  }
  // Those whose time has come come before this one, also if nobody let them join yet because the instance is away.
  if (ahead.joins_lane_at > 0) await gatherLane(tx, { instance, recipient, now })
  await tx.run(insertWaiting, { ...message, leads_lane: 0 })
}

async function whyNoPlace(
  tx: Transaction,
  { instance, limit }: Place,
): Promise<'queue_full' | 'unsettled_quota_exceeded' | 'instance_gone' | 'instance_deleting'> {
  const query = tx.sql.selectFrom('instances').select(['wanted', 'queue_depth']).where('id', '=', instance)
  const row = await tx.first(query)
  if (!row) return 'instance_gone'
  if (row.wanted === 'removed') return 'instance_deleting'
  return row.queue_depth >= limit ? 'queue_full' : 'unsettled_quota_exceeded'
}
