import { type IdempotencyScope, type KeptReply, Replies } from '../../../organizations/idempotency.ts'
import type { RowOf } from '../../../store/schema.ts'
import { batchOf, batchStatement } from '../../../store/statement.ts'
import { sentTogether, type Transaction, transactionOfMany } from '../../../store/store.ts'
import { keptKind, keptStatus } from '../../../store/tables/kept-message.ts'
import { type NewMessage, newMessageColumns, storedSize } from '../../message.ts'
import { appendAccepted, takeAcceptedNumbers } from '../../message-events.ts'
import { addFile, type NewMessageFile } from '../../message-file.ts'
import { awaitTargets } from '../queue/followers.ts'
import { counting, gatherLane, type Lane, laneOf, positionsIn } from '../queue/lane.ts'
import { isLost, readTargets, type TargetState, targetRecheck } from '../queue/targets.ts'

export interface AcceptArgs {
  readonly message: NewMessage
  /** Only of a message with a file. */
  readonly file?: NewMessageFile
  /** The number of the message that this one changes or replies to. */
  readonly target?: number
  /** Unsettled messages that the instance may have; null for any number. */
  readonly queueLimit: number | null
  /** Unsettled messages that the organization may have; null for any number. */
  readonly unsettledLimit: number | null
  /** Bytes of messages that the organization may have; null for any number. */
  readonly storedLimit: number | null
  /** Recognises a repetition, with the reply to store for it. */
  readonly idempotency: { readonly scope: IdempotencyScope; readonly reply: KeptReply } | null
}

export type AcceptResult =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'replay'; readonly reply: KeptReply }
  | { readonly kind: 'mismatch' }
  | Refused

type Refused =
  | { readonly kind: 'queue_full' | 'instance_gone' | 'instance_deleting' | 'target_not_sent' }
  | ({ readonly kind: 'unsettled_quota_exceeded' } & QuotaUsed)
  | ({ readonly kind: 'stored_quota_exceeded'; readonly needed: number } & QuotaUsed)

/** The organization's use of a quota, and its limit: messages, or bytes. */
interface QuotaUsed {
  readonly used: number
  readonly limit: number
}

/** Accepts messages: queue place, message, its event and the idempotency key are stored together or not at all. */
export const acceptMessage = transactionOfMany(
  'messages.accept',
  async (tx, calls: readonly AcceptArgs[]): Promise<AcceptResult[]> => {
    const scopes = calls.flatMap(({ idempotency }) => (idempotency ? [idempotency.scope] : []))
    const messages = calls.map(({ message }) => message)
    const followed = calls.flatMap(({ target }) => target ?? [])
    const [replies, capacity, ahead, targets] = await sentTogether([
      Replies.recall(tx, scopes),
      Capacity.of(tx, calls),
      lookAhead(tx, messages),
      readTargets(tx, followed),
    ])
    const accepted: AcceptArgs[] = []
    const answers = calls.map((call): AcceptResult => {
      const { idempotency, message } = call
      const answer = (idempotency && replies.find(idempotency.scope)) ?? capacity.take(call, targets)
      if (answer) return answer
      if (idempotency) replies.note(idempotency.scope, idempotency.reply, message.created_at)
      accepted.push(call)
      return { kind: 'accepted' }
    })
    if (accepted.length > 0) {
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
      const numbered = accepted.map(({ message, file }) => ({
        message,
        file,
        seq: seqs.get(message.id) ?? 0,
      }))
      tx.sendForEach(insertWaiting, waiting)
      replies.keep(tx)
      appendAccepted(tx, numbered, numbers)
    }
    return answers
  },
  {
    weigh: ({ message: { text } }) => 1 + (text?.length ?? 0) / 4096,
    // A small file comes with its bytes.
    isJson: ({ file }) => file === undefined,
  },
)

const selectQueues = batchStatement({ instance: 'text' })((sql, given) =>
  sql
    .selectFrom('instances')
    .innerJoin('organizations', 'organizations.id', 'instances.organization_id')
    .innerJoin('message_instances', 'message_instances.instance_id', 'instances.id')
    .select(['instances.id', 'number', 'instances.organization_id', 'wanted', 'queue_depth'])
    .select(['unsettled_messages', 'stored_bytes', 'last_event_at'])
    .select((eb) =>
      eb
        .selectFrom('outbox')
        .select(({ fn }) => fn.max('queue_position').as('last'))
        .whereRef('outbox.instance', '=', 'number')
        .where('queue_position', 'is not', null)
        .as('last_position'),
    )
    .where('instances.id', '=', given('instance')),
)

const raiseDepth = batchStatement({ instance: 'text', count: 'integer' })((sql, given) =>
  sql
    .updateTable('instances')
    .set((eb) => ({ queue_depth: eb('queue_depth', '+', given('count')) }))
    .where('id', '=', given('instance')),
)

interface Queue {
  /** The number of the instance. */
  readonly instance: number
  readonly organization: string
  readonly isRemoved: boolean
  readonly depth: number
  readonly lastEventAt: number
  readonly lastPosition: number
  taken: number
}

/** The room that is left in the queues of instances and the quotas of organizations. */
class Capacity {
  readonly #queues = new Map<string, Queue>()
  /** The use of each organization. */
  readonly #usage = new Map<string, { unsettled: number; stored: number }>()

  static async of(tx: Transaction, calls: readonly AcceptArgs[]): Promise<Capacity> {
    const capacity = new Capacity()
    const ids = new Set(calls.map(({ message }) => message.instance_id))
    const rows = await tx.allForEach(
      selectQueues,
      [...ids].map((instance) => ({ instance })),
    )
    for (const row of rows) {
      const {
        id,
        number: instance,
        organization_id: organization,
        wanted,
        queue_depth: depth,
        last_event_at: lastEventAt,
      } = row
      const isRemoved = wanted === 'removed'
      const lastPosition = row.last_position ?? 0
      const queue = { instance, organization, isRemoved, depth, lastEventAt, lastPosition, taken: 0 }
      capacity.#queues.set(id, queue)
      capacity.#usage.set(organization, { unsettled: row.unsettled_messages, stored: row.stored_bytes })
    }
    return capacity
  }

  /** Takes a place for a message, or says why there is none. */
  take(
    { message, target, queueLimit, unsettledLimit, storedLimit }: AcceptArgs,
    targets: Targets,
  ): Refused | undefined {
    const queue = this.#queues.get(message.instance_id)
    if (queue?.organization !== message.organization_id) return { kind: 'instance_gone' }
    if (queue.isRemoved) return { kind: 'instance_deleting' }
    if (target !== undefined && isLostFor(queue.instance, targets.get(target)))
      return { kind: 'target_not_sent' }
    const usage = this.#usage.get(queue.organization) ?? { unsettled: 0, stored: 0 }
    const size = storedSize(message)
    if (queueLimit !== null && queue.depth + queue.taken >= queueLimit) return { kind: 'queue_full' }
    if (unsettledLimit !== null && usage.unsettled >= unsettledLimit)
      return { kind: 'unsettled_quota_exceeded', used: usage.unsettled, limit: unsettledLimit }
    if (storedLimit !== null && usage.stored + size > storedLimit)
      return { kind: 'stored_quota_exceeded', used: usage.stored, limit: storedLimit, needed: size }
    queue.taken++
    usage.unsettled++
    usage.stored += size
    return undefined
  }

  /** Returns the time of an event of a message that was taken: as `timeOfEvent` finds it. */
  timeOfEvent({ instance_id }: NewMessage, now: number): number {
    return Math.max(now, this.#queues.get(instance_id)?.lastEventAt ?? 0)
  }

  /** Returns the lane of a message that was taken. */
  laneOf({ instance_id, recipient }: NewMessage): Lane {
    return { instance: this.#queues.get(instance_id)?.instance ?? 0, recipient }
  }

  /** The numbers of the instances. */
  instances(): number[] {
    return [...this.#queues.values()].map(({ instance }) => instance)
  }

  /** Hands out positions at the end of the queues. */
  positions(): (instance: number) => number {
    return counting(
      new Map([...this.#queues.values()].map(({ instance, lastPosition }) => [instance, lastPosition])),
    )
  }

  /** Stores how many places were taken; those of organizations are counted with the events. */
  keep(tx: Transaction): void {
    const places = [...this.#queues].map(([instance, { taken: count }]) => ({ instance, count }))
    tx.sendForEach(
      raiseDepth,
      places.filter(({ count }) => count > 0),
    )
  }
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
  accepted: readonly AcceptArgs[],
  { capacity, now }: { readonly capacity: Capacity; readonly now: number },
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
  readonly capacity: Capacity
  readonly seqs: ReadonlyMap<string, number>
  readonly targets: Targets
}

/**
 * Returns what accepted messages wait for: each for its time, or for others in its lane, or it leads that; and a leader is queued
 * unless it waits for its file.
 */
async function waitingFor(
  tx: Transaction,
  accepted: readonly AcceptArgs[],
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

type Targets = Awaited<ReturnType<typeof readTargets>>

/** A message of another instance is none to refer to. */
function isLostFor(instance: number, state: TargetState | undefined): boolean {
  return isLost(state) || state?.instance !== instance
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
async function gatherDue(tx: Transaction, { joining, first }: Ahead, capacity: Capacity) {
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
