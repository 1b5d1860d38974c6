import type { MessageContent } from '../../../contract/resources/content.ts'
import type { RelationType, SentKind } from '../../../contract/statuses.ts'
import type { TargetMessage } from '../../../networks/driver/message.ts'
import { batchStatement } from '../../../store/statement.ts'
import { sentTogether, type Transaction } from '../../../store/store.ts'
import { seen } from '../../../store/tables/kept-message.ts'
import { contentIn, type MessageRow, mayHaveFile, ownNetworkId } from '../../message.ts'
import { filesOf, type MessageFile } from '../../message-file.ts'
import { changedBy } from '../../transition.ts'
import { correctedTexts } from './corrections.ts'
import { enqueueDue, type Lane, laneOf } from './lane.ts'
import { refuseDue } from './refuse-due.ts'
import { lookAgain, lookAtTargets } from './targets.ts'

/*
 * Claiming: the leaders of lanes in the order of their queue and, on a network that keeps the order of texts, the texts that
 * follow them (docs/decisions/0038).
 */

/** A message that was claimed for an attempt. */
export interface ClaimedMessage {
  readonly seq: number
  readonly id: string
  readonly recipient: string
  readonly kind: SentKind
  /** The text, the caption of the file, or JSON of the template. */
  readonly text: string | null
  readonly content: MessageContent
  /** The message that it changes or replies to, and how. */
  readonly relation: { readonly type: RelationType; readonly target: TargetMessage } | null
  /** Its file, if it has one. */
  readonly file: MessageFile | null
  /** The id that every attempt carries. */
  readonly networkId: string
  /** Counted from 1. */
  readonly attempt: number
}

/** The claim of one instance. */
export interface MessageClaim {
  readonly instanceId: string
  /** Messages that it may claim now. */
  readonly claim: number
  /** Texts to one recipient that it may claim now. */
  readonly claimPerRecipient: number
  /** Milliseconds in which a person who wrote may be answered; any time if missing. */
  readonly replyWindow?: number | null
}

/** The same with the number of the instance. */
export interface NumberedClaim extends MessageClaim {
  readonly instance: number
}

interface Limit {
  readonly instance: number
  readonly now: number
  readonly limit: number
}

const claimable = [
  'outbox.seq',
  'outbox.instance',
  'outbox.recipient',
  'outbox.attempts',
  'outbox.target_seq',
  'outbox.awaited',
  'outbox.uncertain',
  'outbox.included',
  'messages.relation',
  'messages.content',
  'messages.id',
  'messages.kind',
  'messages.text',
  'messages.created_at',
] as const

const selectQueued = batchStatement<Limit>({ instance: 'bigint', now: 'bigint', limit: 'integer' })(
  (sql, given) =>
    sql
      .selectFrom('outbox')
      .innerJoin('messages', 'messages.seq', 'outbox.seq')
      .select([...claimable, 'queue_position'])
      .where('outbox.instance', '=', given('instance'))
      .where('queue_position', 'is not', null)
      .where('outbox.expires_at', '>', given('now'))
      .orderBy('queue_position')
      .limit(given('limit')),
)

const begin = batchStatement({ seq: 'bigint', now: 'bigint' })((sql, given) =>
  sql
    .updateTable('outbox')
    .set((eb) => ({
      status: 'sending',
      underway: 1,
      attempts: eb('attempts', '+', 1),
      last_attempt_at: given('now'),
      queue_position: null,
    }))
    .where('seq', '=', given('seq'))
    .where(changedBy('claimed')),
)

const selectLane = batchStatement<Lane & { limit: number }>({
  instance: 'bigint',
  recipient: 'text',
  limit: 'integer',
})((sql, given) =>
  sql
    .selectFrom('outbox')
    .innerJoin('messages', 'messages.seq', 'outbox.seq')
    .select([...claimable, 'underway', 'held', 'outbox.expires_at'])
    .where('outbox.instance', '=', given('instance'))
    .where('outbox.recipient', '=', given('recipient'))
    .where('joins_lane_at', '=', 0)
    .orderBy('outbox.seq')
    .limit(given('limit')),
)

type Queued = Pick<
  MessageRow,
  'seq' | 'id' | 'recipient' | 'kind' | 'text' | 'relation' | 'content' | 'attempts' | 'created_at'
> & {
  readonly instance: number
  readonly target_seq: number | null
  readonly awaited: number
  readonly uncertain: number
  readonly included: number
}

/**
 * Claims what is due, of each instance in the order of its queue, and then the texts that follow its leaders, as far as there
 * is room. `nextDue` is the next time that a message of an instance waits for. What may no longer be sent is `refused`.
 */
export async function claimDue(tx: Transaction, calls: readonly NumberedClaim[], now: number) {
  const instances = calls.map(({ instance }) => instance)
  const limits = calls.map(({ instance, claim: limit }) => ({ instance, now, limit }))
  const [{ nextDue, enqueued }, queued] = await sentTogether([
    enqueueDue(tx, instances, now, lookAgain),
    tx.allForEach(selectQueued, limits),
  ])
  const due = (enqueued ? await tx.allForEach(selectQueued, limits) : queued).map(seen)
  const outside = await refuseDue(tx, due, calls, now)
  const {
    targets,
    refused: lost,
    waiting,
  } = await lookAtTargets(
    tx,
    due.filter(({ seq }) => !outside.has(seq)),
    now,
  )
  const refused = new Map([...outside, ...lost])
  const leaders = due.filter(({ seq }) => !refused.has(seq) && !waiting.has(seq))
  leaders.sort((a, b) => (a.queue_position ?? 0) - (b.queue_position ?? 0))
  const rows = await withFollowers(tx, leaders, calls, now)
  tx.sendForEach(
    begin,
    // The call may have waited since before the message was accepted.
    rows.map(({ seq, created_at }) => ({ seq, now: Math.max(now, created_at) })),
  )
  const media = rows.filter(mayHaveFile).map(({ id }) => id)
  const files = await filesOf(tx, media)
  const corrected = await correctedTexts(tx, rows)
  const claimed = new Map<number, ClaimedMessage[]>()
  for (const row of rows) {
    const { seq, id, instance, recipient, text, attempts } = row
    const target = targets.get(seq)
    const message = {
      seq,
      id,
      recipient,
      kind: row.kind as SentKind,
      text: corrected.get(seq) ?? text,
      content: contentIn(row.content),
      relation: target ? { type: relationTypeIn(row.relation), target } : null,
      networkId: ownNetworkId(id),
    }
    const own = claimed.get(instance) ?? []
    own.push({ ...message, file: files.get(id) ?? null, attempt: attempts + 1 })
    claimed.set(instance, own)
  }
  // Those that left their lanes to wait made room for others.
  const again = new Map([...waiting.values()].map((instance) => [instance, now]))
  return { claimed, nextDue: new Map([...nextDue, ...again]), refused: [...refused.values()] }
}

function relationTypeIn(relation: string | null): RelationType {
  if (relation === null) throw new Error('a message that refers to another one does not say how')
  return JSON.parse(relation).type
}

/** The leaders, each with the texts that may be sent right after it. */
async function withFollowers(
  tx: Transaction,
  leaders: readonly Queued[],
  calls: readonly NumberedClaim[],
  now: number,
): Promise<Queued[]> {
  const byInstance = Map.groupBy(leaders, ({ instance }) => instance)
  const room = new Map(calls.map((call) => [call.instance, roomFor(call, byInstance)]))
  const lanes = leaders.flatMap(({ kind, instance, recipient }) => {
    const { perLane = 0 } = room.get(instance) ?? {}
    return kind === 'text' && perLane > 0 ? [{ instance, recipient, limit: 1 + perLane }] : []
  })
  const members = (await tx.allForEach(selectLane, lanes)).map(seen)
  members.sort((a, b) => a.seq - b.seq)
  const byLane = Map.groupBy(members, laneOf)
  return leaders.flatMap((leader) => {
    const [first, ...others] = byLane.get(laneOf(leader)) ?? []
    // One that was scheduled may have joined the lane before its leader: nothing overtakes it.
    if (first?.seq !== leader.seq) return [leader]
    const isReady = ({ kind, target_seq, underway, held, expires_at }: (typeof others)[number]) =>
      kind === 'text' && target_seq === null && underway === 0 && held === 0 && expires_at > now
    const end = others.findIndex((other) => !isReady(other))
    const own = room.get(leader.instance) ?? { left: 0 }
    const followers = others.slice(0, Math.min(end < 0 ? others.length : end, own.left))
    own.left -= followers.length
    return [leader, ...followers]
  })
}

/**
 * Returns the number of followers that an instance may claim, and the share of each lane: no lane takes all, and little is
 * read in vain.
 */
function roomFor(
  { instance, claim, claimPerRecipient }: NumberedClaim,
  leaders: ReadonlyMap<number, readonly Queued[]>,
): { left: number; readonly perLane: number } {
  const lanes = leaders.get(instance)?.length ?? 0
  const left = claim - lanes
  return { left, perLane: lanes === 0 ? 0 : Math.min(claimPerRecipient - 1, Math.ceil(left / lanes)) }
}
