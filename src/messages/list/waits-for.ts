import type { InstanceStatus } from '../../contract/resources/instance.ts'
import type { WaitsFor } from '../../contract/resources/waits-for.ts'
import type { Restriction } from '../../networks/driver/observation.ts'
import { timestamp } from '../../runtime/clock.ts'
import { statement } from '../../store/statement.ts'
import type { Reader } from '../../store/store.ts'
import { seen } from '../../store/tables/kept-message.ts'
import type { CurrentMessage } from '../current-message.ts'
import { isSettled } from '../life.ts'

/*
 * The cause for which a message waits, as the store has it: what only the dispatch of its instance knows, such as its pace, is told as
 * its turn. The order is that of the conditions in the outbox (`store/tables/messages.ts`).
 */

/** Messages at the head of a lane among which its leader is looked for. It is the first unless earlier ones were scheduled and joined late. */
const lookedAt = 20

/** All that the store says about why a message waits. Times are in milliseconds since the epoch. */
export interface WaitFacts {
  readonly underway: number
  readonly held: number
  readonly awaits_file: number
  readonly leads_lane: number
  readonly joins_lane_at: number
  readonly due_at: number | null
  readonly queue_position: number | null
  readonly attempts: number
  readonly send_at: number | null
  /** When its file is fetched next; null if it has none to be fetched. */
  readonly fetch_at: number | null
  /** The message that it refers to, while that may still be sent or its outcome is not known. */
  readonly target: string | null
  /** The message that leads its lane; null if it is not known, or leads itself. */
  readonly earlier: string | null
  /** Null if the instance is no longer there. */
  readonly instance: { readonly status: InstanceStatus; readonly restriction: string | null } | null
}

type Cause = Pick<WaitsFor, 'reason'> & { readonly message?: string; readonly until?: number | null } & {
  readonly status?: InstanceStatus
}

/** Returns the cause that holds up a message first. */
export function waitsForOf(facts: WaitFacts, now: number): WaitsFor {
  const { reason, message = null, status = null, until = null } = causeOf(facts, now)
  return { reason, message_id: message, instance_status: status, until: timestamp(until) }
}

function causeOf(facts: WaitFacts, now: number): Cause {
  const { send_at, due_at, joins_lane_at, fetch_at, target, earlier } = facts
  if (facts.underway === 1) return { reason: 'answer' }
  if (facts.held === 1) return { reason: 'operator' }
  if (send_at !== null && send_at > now && joins_lane_at > 0) return { reason: 'send_at', until: send_at }
  if (facts.awaits_file === 1)
    return { reason: 'file', until: fetch_at !== null && fetch_at > now ? fetch_at : null }
  if (target !== null) return { reason: 'target', message: target }
  if (joins_lane_at === 0 && due_at !== null && due_at > now)
    return { reason: facts.attempts > 0 ? 'retry' : 'recipient_pace', until: due_at }
  if (joins_lane_at === 0 && facts.leads_lane === 0)
    return earlier === null ? { reason: 'unknown' } : { reason: 'earlier_message', message: earlier }
  return ofInstance(facts, now)
}

/** The cause of a message that only its instance keeps waiting. */
function ofInstance({ instance, queue_position, due_at }: WaitFacts, now: number): Cause {
  if (instance === null) return { reason: 'unknown' }
  if (instance.status !== 'connected') return { reason: 'instance', status: instance.status }
  const restriction: Restriction | null =
    instance.restriction === null ? null : JSON.parse(instance.restriction)
  const ends = restriction?.ends_at ?? null
  if (restriction?.scope === 'all_messages' && (ends === null || ends > now))
    return { reason: 'restriction', until: ends }
  // One whose time has come is queued by the next claim.
  const isNext = queue_position !== null || (due_at !== null && due_at <= now)
  return { reason: isNext ? 'turn' : 'unknown' }
}

const selectFacts = statement<{ seq: number }>()((sql, argument) =>
  sql
    .selectFrom('outbox')
    .innerJoin('messages', 'messages.seq', 'outbox.seq')
    .innerJoin('message_instances', 'message_instances.number', 'outbox.instance')
    .leftJoin('instances', 'instances.id', 'message_instances.instance_id')
    .leftJoin('message_files', 'message_files.message_id', 'messages.id')
    .select([
      'outbox.instance',
      'outbox.recipient',
      'outbox.attempts',
      'outbox.target_seq',
      'underway',
      'held',
    ])
    .select(['outbox.awaits_file', 'leads_lane', 'joins_lane_at', 'due_at', 'queue_position', 'send_at'])
    .select(['fetch_at', 'instances.status as instance_status', 'instances.restriction'])
    .where('outbox.seq', '=', argument('seq')),
)

const selectTarget = statement<{ seq: number }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .leftJoin('outbox', 'outbox.seq', 'messages.seq')
    .select(['messages.id', 'messages.status', 'outbox.seq as waiting'])
    .where('messages.seq', '=', argument('seq')),
)

/** The first messages of a lane. */
const selectHead = statement<{ instance: number; recipient: string; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('outbox')
    .innerJoin('messages', 'messages.seq', 'outbox.seq')
    .select(['outbox.seq', 'messages.id', 'leads_lane'])
    .where('outbox.instance', '=', argument('instance'))
    .where('outbox.recipient', '=', argument('recipient'))
    .where('joins_lane_at', '=', 0)
    .orderBy('outbox.seq')
    .limit(argument('limit')),
)

/** Returns what a message waits for now; null if it does not wait. */
export async function readWaitsFor(
  reader: Reader,
  { seq, status, incoming }: Pick<CurrentMessage, 'seq' | 'status' | 'incoming'>,
  now: number,
): Promise<WaitsFor | null> {
  if (incoming === 1 || isSettled(status)) return null
  const row = await reader.first(selectFacts, { seq })
  if (!row) return null
  const { instance_status, restriction, target_seq, instance, recipient, ...facts } = row
  const waitsInLane = row.joins_lane_at === 0 && row.leads_lane === 0
  const head = waitsInLane ? await reader.all(selectHead, { instance, recipient, limit: lookedAt }) : []
  const first = head.find(({ leads_lane }) => leads_lane === 1) ?? head.find((other) => other.seq < seq)
  return waitsForOf(
    {
      ...facts,
      target: target_seq === null ? null : await openTarget(reader, target_seq),
      earlier: first?.id ?? null,
      instance: instance_status === null ? null : { status: instance_status, restriction },
    },
    now,
  )
}

/** Returns the id of a target whose followers wait for it; null if they wait no longer. */
async function openTarget(reader: Reader, seq: number): Promise<string | null> {
  const row = await reader.first(selectTarget, { seq })
  if (!row) return null
  const { id, status, waiting } = seen(row)
  return waiting !== null || status === 'unknown' ? id : null
}
