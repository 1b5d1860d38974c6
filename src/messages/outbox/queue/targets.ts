import { messageErrors, sentencesOf } from '../../../contract/codes.ts'
import type { Relation } from '../../../contract/resources/message.ts'
import type { MessageStatus } from '../../../contract/statuses.ts'
import type { TargetMessage } from '../../../networks/driver/message.ts'
import { batchStatement } from '../../../store/statement.ts'
import type { Transaction } from '../../../store/store.ts'
import { seen } from '../../../store/tables/kept-message.ts'
import { contentIn, type MessageRow, networkIdOf } from '../../message.ts'
import { storedError } from '../../stored-error.ts'
import { settleIncluded } from './corrections.ts'
import { awaitTargets } from './followers.ts'
import { type Joining, type Lane, laneOf, promoteNext } from './lane.ts'
import { leaveQueue } from './leave-queue.ts'
import { changeBy, type RefusedUnsent, removedBy, sentWithOthers, writeSettled } from './settle.ts'

/*
 * A message that changes another one, or replies to it, is sent after that: its target. Mostly the order of the lane sees to it.
 * One whose target is not known to be sent leaves its lane, so that it holds up no others, and joins it again when the target
 * is settled, or to look once more.
 */

/** Milliseconds until a message whose target may have been settled meanwhile looks again: at first, and at most. */
export const targetRecheck = 60_000
const maxRecheck = 60 * 60_000

const selectTargets = batchStatement({ seq: 'bigint' })((sql, given) =>
  sql
    .selectFrom('messages')
    .leftJoin('outbox', 'outbox.seq', 'messages.seq')
    .select(['messages.seq', 'messages.id', 'messages.status', 'messages.kind', 'messages.text'])
    .select(['network_message_id', 'id_assigned', 'sender', 'sender_message_id', 'content', 'relation'])
    .select(['messages.instance', 'outbox.seq as waiting', 'outbox.recipient as waits_for', 'joins_lane_at'])
    .where('messages.seq', '=', given('seq')),
)

/** Messages to which targets reply. */
const selectAnswered = batchStatement({ id: 'text', instance: 'bigint' })((sql, given) =>
  sql
    .selectFrom('messages')
    .select([
      'id',
      'kind',
      'text',
      'network_message_id',
      'id_assigned',
      'sender',
      'sender_message_id',
      'content',
    ])
    .where('id', '=', given('id'))
    .where('instance', '=', given('instance')),
)

/** The facts known about a target. */
export interface TargetState {
  readonly instance: number
  /** `waiting` until it is settled. */
  readonly status: MessageStatus | 'waiting'
  /** The lane that it is in; null if it is in none. */
  readonly lane: string | null
  /** Present if the network has it. */
  readonly target?: TargetMessage
}

/** Reads the targets with these numbers; one that is no longer kept is missing. */
export async function readTargets(
  tx: Transaction,
  seqs: readonly number[],
): Promise<ReadonlyMap<number, TargetState>> {
  const rows = await tx.allForEach(
    selectTargets,
    [...new Set(seqs)].map((seq) => ({ seq })),
  )
  const messages = rows.map(seen)
  const replies = messages.flatMap((row) => {
    const id = row.sender === null ? answeredBy(row.relation) : null
    return id === null ? [] : { id, instance: row.instance }
  })
  const answered = new Map(
    (await tx.allForEach(selectAnswered, replies)).map(seen).map((row) => [row.id, targetOf(row)]),
  )
  return new Map(
    messages.map((row) => {
      const { seq, instance, status, waiting, waits_for, joins_lane_at } = row
      const target = waiting === null && hasIt(status) ? targetOf(row) : null
      const replyTo = row.sender === null ? answered.get(answeredBy(row.relation) ?? '') : null
      const state: TargetState = {
        instance,
        status: waiting === null ? status : 'waiting',
        lane: joins_lane_at === 0 ? waits_for : null,
        ...(target && { target: { ...target, ...(replyTo && { replyTo }) } }),
      }
      return [seq, state]
    }),
  )
}

/** The id of the message to which one with this relation replies; null if it replies to none that is known. */
function answeredBy(relation: string | null): string | null {
  const { type, message_id }: Partial<Relation> = relation === null ? {} : JSON.parse(relation)
  return type === 'reply' ? (message_id ?? null) : null
}

type Targetable = Pick<
  MessageRow,
  'id' | 'kind' | 'text' | 'network_message_id' | 'id_assigned' | 'sender' | 'sender_message_id' | 'content'
>

/** Returns null if the network has no id of it. */
function targetOf({
  sender,
  sender_message_id,
  kind,
  text,
  content,
  ...row
}: Targetable): TargetMessage | null {
  const network_message_id = networkIdOf(row)
  const topic = contentIn(content).topic?.id ?? null
  return network_message_id === null
    ? null
    : { network_message_id, sender_message_id, from: sender, kind, text, topic }
}

const hasIt = (status: MessageStatus) => ['sent', 'delivered', 'read', 'received'].includes(status)

/** True if the recipient never gets the target, so that nothing can refer to it. */
export function isLost(state: TargetState | undefined): boolean {
  return !state || state.status === 'failed' || state.status === 'expired' || state.status === 'canceled'
}

/** A due message, with the number of its instance. */
interface Due extends Pick<MessageRow, 'seq' | 'recipient' | 'created_at'> {
  readonly instance: number
  readonly target_seq: number | null
  readonly included: number
}

/** Due messages by what their targets say. */
export interface Targeted {
  /** The targets of those that can be sent, by the numbers of the messages. */
  readonly targets: ReadonlyMap<number, TargetMessage>
  /** Settled as failed because their targets were, or as sent because their targets left with their texts. */
  readonly refused: ReadonlyMap<number, RefusedUnsent>
  /** Instances of which messages have left their lanes to wait: the next ones lead them. */
  readonly waiting: ReadonlyMap<number, number>
}

const noTargets: Targeted = { targets: new Map(), refused: new Map(), waiting: new Map() }

/** Looks at the targets of due messages: fails those whose targets are lost, and has others wait. */
export async function lookAtTargets(tx: Transaction, due: readonly Due[], now: number): Promise<Targeted> {
  const following = due.filter(({ target_seq }) => target_seq !== null)
  if (following.length === 0) return noTargets
  const states = await readTargets(
    tx,
    following.map(({ target_seq }) => target_seq as number),
  )
  const targets = new Map<number, TargetMessage>()
  const lost: Due[] = []
  const included: Due[] = []
  const waiting: Due[] = []
  for (const message of following) {
    const state = states.get(message.target_seq as number)
    if (state?.target && message.included === 1) included.push(message)
    else if (state?.target) targets.set(message.seq, state.target)
    else if (isLost(state)) lost.push(message)
    else waiting.push(message)
  }
  await stepAside(tx, waiting, now)
  const failed = await failFollowers(tx, lost, now)
  const sent = await settleIncluded(tx, included, now)
  if (sent.length > 0) await leaveQueue(tx, sent, now)
  return {
    targets,
    refused: new Map([...failed, ...sentWithOthers(sent)]),
    waiting: new Map(waiting.map(({ seq, instance }) => [seq, instance])),
  }
}

const leaveLane = batchStatement({ seq: 'bigint', at: 'bigint' })((sql, given) =>
  sql
    .updateTable('outbox')
    .set({ joins_lane_at: given('at'), due_at: given('at'), leads_lane: 0, queue_position: null })
    .where('seq', '=', given('seq')),
)

/** Messages at the head of a lane among which those are found that step aside with its leader. */
const maxAside = 200

const selectAside = batchStatement<Lane & { limit: number }>({
  instance: 'bigint',
  recipient: 'text',
  limit: 'integer',
})((sql, given) =>
  sql
    .selectFrom('outbox')
    .innerJoin('messages', 'messages.seq', 'outbox.seq')
    .select(['outbox.seq', 'outbox.instance', 'outbox.recipient', 'outbox.target_seq'])
    .select(['messages.created_at', 'leads_lane', 'underway', 'held', 'outbox.awaits_file'])
    .where('outbox.instance', '=', given('instance'))
    .where('outbox.recipient', '=', given('recipient'))
    .where('joins_lane_at', '=', 0)
    .orderBy('outbox.seq')
    .limit(given('limit')),
)

/**
 * Has the leaders of lanes wait for their targets outside of these, together with those behind them that wait for the same: otherwise
 * each would take a claim of its own to find that out.
 */
async function stepAside(tx: Transaction, leaders: readonly Due[], now: number): Promise<void> {
  if (leaders.length === 0) return
  const lanes = leaders.map(({ instance, recipient }) => ({ instance, recipient, limit: maxAside }))
  const targetOfLane = new Map(leaders.map((leader) => [laneOf(leader), leader.target_seq]))
  const behind = (await tx.allForEach(selectAside, lanes)).filter(
    (row) =>
      row.target_seq === targetOfLane.get(laneOf(row)) &&
      row.leads_lane + row.underway + row.held + row.awaits_file === 0,
  )
  waitOutside(tx, [...leaders, ...behind], now)
  await promoteNext(tx, leaders)
}

const selectCreated = batchStatement({ seq: 'bigint' })((sql, given) =>
  sql.selectFrom('messages').select(['seq', 'created_at']).where('seq', '=', given('seq')),
)

/**
 * Returns those that join their lanes. Of the others the targets are still not known, and they go on waiting outside: so they take the
 * lead of no lane, and no claim, to find that out.
 */
export async function lookAgain<Row extends Joining>(
  tx: Transaction,
  joining: readonly Row[],
  now: number,
): Promise<readonly Row[]> {
  const targetSeqs = joining.flatMap(({ target_seq }) => target_seq ?? [])
  if (targetSeqs.length === 0) return joining
  const states = await readTargets(tx, targetSeqs)
  const waits = ({ target_seq, recipient, instance }: Row) => {
    if (target_seq === null) return false
    const state = states.get(target_seq)
    // It joins its lane behind a target that is there.
    const isBehind = state?.instance === instance && state.lane === recipient
    return !state?.target && !isLost(state) && !isBehind
  }
  const left = new Map(joining.filter(waits).map((row) => [row.seq, row]))
  const created = await tx.allForEach(
    selectCreated,
    [...left.keys()].map((seq) => ({ seq })),
  )
  const waiting = created.map((row) => ({ ...row, target_seq: left.get(row.seq)?.target_seq ?? null }))
  waitOutside(tx, waiting, now)
  return joining.filter(({ seq }) => !left.has(seq))
}

/** Lets messages wait until their targets are settled, or to look again. */
function waitOutside(
  tx: Transaction,
  waiting: readonly Pick<Due, 'seq' | 'target_seq' | 'created_at'>[],
  now: number,
): void {
  tx.sendForEach(
    leaveLane,
    waiting.map(({ seq, created_at }) => ({ seq, at: now + recheckAfter(now - created_at) })),
  )
  awaitTargets(tx, [...new Set(waiting.flatMap(({ target_seq }) => target_seq ?? []))])
}

/** The longer a message waits, the less often it looks: thousands may wait for one target. */
function recheckAfter(age: number): number {
  return Math.min(Math.max(age, targetRecheck), maxRecheck)
}

const removeLost = removedBy('target-lost')

/** Why a message whose target was not sent fails. */
export const targetError = {
  code: 'target_not_sent',
  detail: sentencesOf(messageErrors.target_not_sent),
  permanent: true,
} as const

async function failFollowers(tx: Transaction, lost: readonly Due[], now: number) {
  if (lost.length === 0) return new Map<number, RefusedUnsent>()
  const removed = await tx.allForEach(removeLost, lost)
  const error = storedError(targetError)
  const settled = removed.map((row) => ({ removed: row, change: changeBy('target-lost', row, { error }) }))
  const left = await writeSettled(tx, settled, now)
  await leaveQueue(tx, left, now)
  return new Map(left.map(({ row: { seq, id, instance } }) => [seq, { id, instance, error: targetError }]))
}
