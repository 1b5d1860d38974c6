import {
  type IdempotencyScope,
  type KeptReply,
  type Recalled,
  Replies,
} from '../../../organizations/idempotency.ts'
import type { RowOf } from '../../../store/schema.ts'
import { batchOf, batchStatement } from '../../../store/statement.ts'
import { sentTogether, type Transaction, transactionOfMany } from '../../../store/store.ts'
import { keptKind, keptStatus } from '../../../store/tables/kept-message.ts'
import { type NewMessage, newMessageColumns, storedSize } from '../../message.ts'
import { appendAccepted, takeAcceptedNumbers } from '../../message-events.ts'
import { addFile } from '../../message-file.ts'
import { awaitTargets } from '../queue/followers.ts'
import { gatherLane, laneOf, positionsIn } from '../queue/lane.ts'
import { readTargets, type TargetState, targetRecheck } from '../queue/targets.ts'
import { type MessageToAccept, QueueCapacity, type Refused, type Targets } from './capacity.ts'

export interface AcceptArgs extends MessageToAccept {
  /** Recognises a repetition, with the reply to store for it. */
  readonly idempotency: { readonly scope: IdempotencyScope; readonly reply: KeptReply } | null
}

export type AcceptResult = { readonly kind: 'accepted' } | Recalled | Refused

/** Accepts messages: queue place, message, its event and the idempotency key are stored together or not at all. */
export const acceptMessage = transactionOfMany(
  'messages.accept',
  (tx, calls: readonly AcceptArgs[]): Promise<AcceptResult[]> => {
    const scopes = calls.flatMap(({ idempotency }) => (idempotency ? [idempotency.scope] : []))
    return acceptJudged(tx, { messages: calls, scopes }, ({ replies, take }) =>
      calls.map((call): AcceptResult => {
        const { idempotency, message } = call
        const answer = (idempotency && replies.find(idempotency.scope)) ?? take(call)
        if (answer) return answer
        if (idempotency) replies.note(idempotency.scope, idempotency.reply, message.created_at)
        return { kind: 'accepted' }
      }),
    )
  },
  {
    weigh: weightOfMessage,
    // A small file comes with its bytes.
    isJson: ({ file }) => file === undefined,
  },
)

/** The amount of work that a message is, compared with a short text. */
export function weightOfMessage({ message: { text } }: MessageToAccept): number {
  return 1 + (text?.length ?? 0) / 4096
}

/** Messages that may be accepted now, and the requests that may be repetitions. */
interface Judged {
  readonly messages: readonly MessageToAccept[]
  readonly scopes: readonly IdempotencyScope[]
}

/** All that decides which messages are accepted. */
interface Judging {
  /** The stored replies; those that are noted are stored. */
  readonly replies: Replies
  /** Accepts a message, or says why not. */
  take(message: MessageToAccept): Refused | undefined
  /** False if the instance is gone, or is another one's. */
  isThere(message: MessageToAccept): boolean
}

/** Has `judge` decide which messages are accepted, and stores those with all that belongs to them. */
export async function acceptJudged<Answer>(
  tx: Transaction,
  { messages: judged, scopes }: Judged,
  judge: (judging: Judging) => Answer,
): Promise<Answer> {
  const messages = judged.map(({ message }) => message)
  const followed = judged.flatMap(({ target }) => target ?? [])
  const [replies, capacity, ahead, targets] = await sentTogether([
    Replies.recall(tx, scopes),
    QueueCapacity.of(tx, judged),
    lookAhead(tx, messages),
    readTargets(tx, followed),
  ])
  const accepted: MessageToAccept[] = []
  const answer = judge({
    replies,
    take(message) {
      const refused = capacity.take(message, targets)
      if (!refused) accepted.push(message)
      return refused
    },
    isThere: ({ message }) => capacity.has(message),
  })
  if (accepted.length > 0) await storeAccepted(tx, accepted, { ahead, capacity, targets })
  replies.keep(tx)
  return answer
}

async function storeAccepted(
  tx: Transaction,
  accepted: readonly MessageToAccept[],
  { ahead, capacity, targets }: Omit<Placed, 'seqs'>,
): Promise<void> {
  const now = Math.max(...accepted.map(({ message }) => message.created_at))
  capacity.keep(tx)
  const [seqs, numbers] = await sentTogether([
    insertMessages(tx, accepted, { capacity, now }),
    takeAcceptedNumbers(
      tx,
      accepted.map(({ message }) => message),
      now,
    ),
  ])
  const waiting = await waitingFor(tx, accepted, { ahead, capacity, seqs, targets })
  for (const { message, file } of accepted) if (file) await addFile(tx, message.id, file)
  const numbered = accepted.map(({ message, file }) => ({ message, file, seq: seqs.get(message.id) ?? 0 }))
  tx.sendForEach(insertWaiting, waiting)
  appendAccepted(tx, numbered, numbers)
}

/** The lane of a message whose instance is named by its id, and when it is looked at. */
interface LaneAt {
  readonly instance: string
  readonly recipient: string
  readonly now: number
}

/** A message that is in the lane, or whose time to join it has come: of both, one that has not joined yet. */
const selectAhead = batchStatement<LaneAt>({ instance: 'text', recipient: 'text', now: 'bigint' })(
  (sql, given) =>
    sql
      .selectFrom('outbox')
      .select(['instance', 'recipient', 'joins_lane_at'])
      .where('instance', '=', (eb) =>
        eb.selectFrom('message_instances').select('number').where('instance_id', '=', given('instance')),
      )
      .where('recipient', '=', given('recipient'))
      .where('joins_lane_at', '<=', given('now'))
      .orderBy('joins_lane_at', 'desc')
      .limit(1),
)

const insertedColumns = [...newMessageColumns, 'instance', 'stored_bytes', 'last_event_after'] as const

type MessageToInsert = Pick<RowOf<'messages'>, (typeof insertedColumns)[number]>

const insertMessage = batchOf(
  'messages',
  insertedColumns,
)((sql, row) =>
  sql
    .insertInto('messages')
    .values({ status: keptStatus('queued'), ...row })
    .returning(['id', 'seq']),
)

/** Inserts messages; returns their numbers by their ids. */
async function insertMessages(
  tx: Transaction,
  accepted: readonly MessageToAccept[],
  { capacity, now }: { readonly capacity: QueueCapacity; readonly now: number },
): Promise<ReadonlyMap<string, number>> {
  const inserted = await tx.allForEach(
    insertMessage,
    accepted.map(({ message }): MessageToInsert => {
      const { instance } = capacity.laneOf(message)
      const last_event_after = capacity.timeOfEvent(message, now) - message.created_at
      const kind = keptKind(message.kind)
      return { ...message, kind, instance, stored_bytes: storedSize(message), last_event_after }
    }),
  )
  return new Map(inserted.map(({ id, seq }) => [id, seq]))
}

/** The columns of the outbox that say for which message a row is, and what it waits for. */
const waitingColumns = [
  'seq',
  'instance',
  'recipient',
  'expires_at',
  'awaits_file',
  'joins_lane_at',
  'leads_lane',
  'queue_position',
  'due_at',
  'target_seq',
] as const

const insertWaiting = batchOf('outbox', waitingColumns)((sql, row) => sql.insertInto('outbox').values(row))

type Waiting = Pick<RowOf<'outbox'>, (typeof waitingColumns)[number]>

/** All that the places of accepted messages follow from. */
interface Placed {
  readonly ahead: Ahead
  readonly capacity: QueueCapacity
  readonly seqs: ReadonlyMap<string, number>
  readonly targets: Targets
}

/**
 * Returns what accepted messages wait for: each for its time, or for others in its lane, or it leads that; and a leader is queued
 * unless it waits for its file.
 */
async function waitingFor(
  tx: Transaction,
  accepted: readonly MessageToAccept[],
  { ahead, capacity, seqs, targets }: Placed,
): Promise<Waiting[]> {
  const { led, behind, nextPosition } = await gatherDue(tx, ahead, capacity)
  return accepted.map(({ message, file, target }): Waiting => {
    const { id, recipient, expires_at, send_at } = message
    const { instance } = capacity.laneOf(message)
    const row = {
      ...{ seq: seqs.get(id) ?? 0, instance, recipient, expires_at },
      ...{ awaits_file: file?.fetch_at == null ? 0 : 1, joins_lane_at: 0 },
      ...{ leads_lane: 0, queue_position: null, due_at: null, target_seq: target ?? null },
    }
    if (isScheduled(message)) return { ...row, joins_lane_at: send_at ?? 0, due_at: send_at }
    const lane = laneOf(row)
    const state = target === undefined ? undefined : targets.get(target)
    if (target !== undefined && state?.status === 'waiting') awaitTargets(tx, [target])
    if (mustStepAside(recipient, state)) {
      const joins_lane_at = message.created_at + targetRecheck
      return { ...row, joins_lane_at, due_at: joins_lane_at }
    }
    const after = behind.get(lane)
    if (after !== undefined) {
      const joins_lane_at = Math.max(message.created_at, after)
      return { ...row, joins_lane_at, due_at: joins_lane_at }
    }
    if (led.has(lane)) return row
    led.add(lane)
    return { ...row, leads_lane: 1, queue_position: row.awaits_file ? null : nextPosition(instance) }
  })
}

/** False if the target was sent, or is ahead in the same lane. */
function mustStepAside(recipient: string, state: TargetState | undefined): boolean {
  return state !== undefined && !state.target && state.lane !== recipient
}

function isScheduled({ send_at, created_at }: NewMessage): boolean {
  return send_at !== null && send_at > created_at
}

/** Due scheduled messages that join their lanes together with the messages of a moment, so that no caller waits long. */
const gatheredAtOnce = 200

/** The lanes of messages that are to join them now, and what is ahead of them there. */
interface Ahead {
  readonly joining: readonly NewMessage[]
  /** Of each lane that has a message which is in it, or whose time to join it has come. */
  readonly first: readonly Pick<RowOf<'outbox'>, 'instance' | 'recipient' | 'joins_lane_at'>[]
}

async function lookAhead(tx: Transaction, messages: readonly NewMessage[]): Promise<Ahead> {
  const joining = messages.filter((message) => !isScheduled(message))
  const lanes = new Map<string, LaneAt>()
  for (const { instance_id: instance, recipient, created_at } of joining) {
    const name = `${instance} ${recipient}`
    lanes.set(name, { instance, recipient, now: Math.max(created_at, lanes.get(name)?.now ?? 0) })
  }
  return { joining, first: await tx.allForEach(selectAhead, [...lanes.values()]) }
}

/**
 * Lets what is due join its lanes before the messages behind it, even if the instance was away until now. Returns the lanes that
 * have a leader, and those in which more has become due than can join now, with the time of the last of it: a message for such
 * a lane joins it after that.
 */
async function gatherDue(tx: Transaction, { joining, first }: Ahead, capacity: QueueCapacity) {
  const behind = new Map<string, number>()
  const led = new Set(first.map(laneOf))
  const due = first.filter(({ joins_lane_at }) => joins_lane_at > 0)
  if (due.length === 0) return { led, behind, nextPosition: capacity.positions() }
  const moments = Map.groupBy(joining, (message) => laneOf(capacity.laneOf(message)))
  let left = gatheredAtOnce
  for (const row of due) {
    const now = Math.max(...(moments.get(laneOf(row)) ?? []).map(({ created_at }) => created_at))
    if (left > 0) left -= await gatherLane(tx, { ...row, now }, left)
    if (left === 0) behind.set(laneOf(row), row.joins_lane_at)
  }
  return { led, behind, nextPosition: await positionsIn(tx, capacity.instances()) }
}
