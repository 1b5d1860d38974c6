import type { ExpressionBuilder } from 'kysely'
import type { SentKind } from '../../contract/resources/message.ts'
import type { Schema } from '../../store/schema.ts'
import { type Argument, statement, unsettled } from '../../store/statement.ts'
import { type Transaction, transaction } from '../../store/store.ts'
import type { MessageRow } from '../message.ts'
import { tellMessages } from '../message-events.ts'
import { filesOf, type MessageFile } from '../message-file.ts'
import { storedError } from '../stored-error.ts'
import { changedBy, settledBy } from '../transition.ts'
import { endOfQueue, enqueue, enqueueDue, nextDue, passLead } from './lane.ts'
import { leaveQueue } from './queue-depth.ts'
import type { Verdict } from './verdict.ts'

/*
 * The outbox. The message row is the queue entry; there is no second truth. The messages at the head of the queue of an instance
 * (lane.ts) are claimed: each is `sending`, and `underway` until its attempt has ended. When one is settled, the next of its lane
 * leads. So order holds in each lane, no lane holds up another, and finding what is to be sent next takes the same time
 * however much is queued behind.
 */

/** A message that was claimed for an attempt. */
export interface Claimed {
  readonly seq: number
  readonly id: string
  readonly recipient: string
  readonly kind: SentKind
  /** The text, or the caption of the file. */
  readonly text: string | null
  /** What it carries, where it is no text. */
  readonly file: MessageFile | null
  readonly network_message_id: string
  /** Counted from 1. */
  readonly attempt: number
}

/** Which attempt of which message. */
export type Attempt = Pick<Claimed, 'seq' | 'attempt'>

/** What an attempt came to. */
export interface Attempted extends Attempt {
  readonly recipient: string
  readonly verdict: Verdict
}

export interface SettleAndClaimArgs {
  readonly instanceId: string
  /** Attempts that ended since the last call. */
  readonly attempted: readonly Attempted[]
  /** How many messages may be claimed now. */
  readonly claim: number
  readonly now: number
  /**
   * If the answer to the last call was lost, all attempts that somebody knows of: what else the store takes for under way was
   * claimed by that call and never begun (docs/decisions/0015). Null if it was answered.
   */
  readonly holding: readonly Attempt[] | null
}

export interface SettledAndClaimed {
  readonly claimed: readonly Claimed[]
  /** The next time that a message waits for, if there is one and nothing more is due now. */
  readonly nextDueAt: number | null
}

/** Settles what ended and claims what is due, under one commit: an attempt begins only after its claim is on disk. */
export const settleAndClaim = transaction(
  'outbox.settle_and_claim',
  async (tx, args: SettleAndClaimArgs): Promise<SettledAndClaimed> => {
    const { instanceId, attempted, claim, holding } = args
    const ended = [...(holding ? await findUnheard(tx, instanceId, holding) : []), ...attempted]
    const left: MessageRow[] = []
    for (const each of ended) left.push(...(await applyVerdict(tx, args, each)))
    await tellMessages(tx, left, args.now, { settled: true })
    const claimed = claim > 0 ? await claimDue(tx, args) : []
    // Also where none has left: by this row a transaction whose answer is lost is waited for.
    if (left.length > 0 || claimed.length > 0) await leaveQueue(tx, instanceId, left.length)
    return { claimed, nextDueAt: claimed.length < claim ? await nextDue(tx, instanceId) : null }
  },
)

const unbegun = { kind: 'again', at: 0, error: null, uncertain: false, unbegun: true } as const

/**
 * The attempts that were claimed without dispatch hearing of it. The transaction that claimed them may not even be over: on
 * PostgreSQL it can outlive the connection that it came by. It has written to its instance, and so has this one to do
 * first: PostgreSQL lets it wait for the end of the other, and begin again where that was a commit that it did not see.
 */
async function findUnheard(
  tx: Transaction,
  instanceId: string,
  holding: readonly Attempt[],
): Promise<Attempted[]> {
  await leaveQueue(tx, instanceId, 0)
  const underway = await tx.all(
    tx.sql
      .selectFrom('messages')
      .select(['seq', 'recipient', 'attempts as attempt'])
      .where('instance_id', '=', instanceId)
      .where(unsettled)
      .where('underway', '=', 1),
  )
  return underway
    .filter((one) => !holding.some(({ seq, attempt }) => seq === one.seq && attempt === one.attempt))
    .map((attempt) => ({ ...attempt, verdict: unbegun }))
}

const arrived = (argument: Argument<{ now: number }>) => (eb: ExpressionBuilder<Schema, 'messages'>) => ({
  ...settledBy('acknowledged')(eb),
  // What the recipient's side confirmed before the answer came was sent before that.
  sent_at: eb
    .case()
    .when('delivered_at', '<', argument('now'))
    .then(eb.ref('delivered_at'))
    .else(argument('now'))
    .end(),
  error: null,
  changed_at: argument('now'),
})

const settleSent = statement<{ seq: number; now: number }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set(arrived(argument))
    .where('seq', '=', argument('seq'))
    .where(changedBy('acknowledged'))
    .returningAll(),
)

/** A message proven by a receipt needs no second attempt, whatever its attempt came to. */
export const settleProven = statement<{ seq: number; now: number }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set(arrived(argument))
    .where('seq', '=', argument('seq'))
    .where(changedBy('acknowledged'))
    .where('delivered_at', 'is not', null)
    .returningAll(),
)

/** Only the attempt that is under way can end. So what was kept before, by a call whose answer was lost, is not done twice. */
const isUnderway = (argument: Argument<Attempt>) => (eb: ExpressionBuilder<Schema, 'messages'>) =>
  eb.and([eb('seq', '=', argument('seq')), eb('attempts', '=', argument('attempt')), eb('underway', '=', 1)])

const settleFailed = statement<Attempt & { error: string; now: number }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set((eb) => ({
      ...settledBy('refused')(eb),
      error: argument('error'),
      changed_at: argument('now'),
    }))
    .where(isUnderway(argument))
    .where(changedBy('refused'))
    .returningAll(),
)

const settleUnknown = statement<Attempt & { now: number }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set((eb) => ({ ...settledBy('unanswered')(eb), changed_at: argument('now') }))
    .where(isUnderway(argument))
    .where(changedBy('unanswered'))
    .returningAll(),
)

/** Whether its attempt is under way, or was given up and none was begun since. */
const settleUnknownLate = statement<{ seq: number; now: number }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set((eb) => ({ ...settledBy('unanswered')(eb), changed_at: argument('now') }))
    .where('seq', '=', argument('seq'))
    .where(changedBy('unanswered'))
    .returningAll(),
)

const postpone = statement<Attempt & { at: number; error: string | null }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set({ underway: 0, due_at: argument('at'), error: argument('error') })
    .where(isUnderway(argument))
    .where(changedBy('postponed')),
)

const repeat = statement<Attempt & { at: number; error: string | null }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set({ underway: 0, uncertain: 1, due_at: argument('at'), error: argument('error') })
    .where(isUnderway(argument))
    .where(changedBy('interrupted')),
)

/** An attempt that was never begun leaves no trace but the status, which does not move backwards. */
const takeBack = statement<Attempt & { instance: string }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set((eb) => ({
      underway: 0,
      queue_position: endOfQueue(sql, argument('instance')),
      attempts: eb('attempts', '-', 1),
    }))
    .where(isUnderway(argument))
    .where(changedBy('unclaimed')),
)

/** Tells the message, as it is then, where it left the queue by it; else nothing. */
async function applyVerdict(
  tx: Transaction,
  args: SettleAndClaimArgs,
  attempted: Attempted,
): Promise<MessageRow[]> {
  const left = await settle(tx, args, attempted)
  if (left.length > 0) await passLead(tx, { instance: args.instanceId, recipient: attempted.recipient })
  return left
}

async function settle(
  tx: Transaction,
  args: SettleAndClaimArgs,
  attempted: Attempted,
): Promise<MessageRow[]> {
  const { seq, attempt, verdict } = attempted
  const { now } = args
  if (verdict.kind === 'sent') return tx.all(settleSent, { seq, now })
  const proven = await tx.all(settleProven, { seq, now })
  if (proven.length > 0) return proven
  if (verdict.kind === 'unknown')
    return verdict.late
      ? tx.all(settleUnknownLate, { seq, now })
      : tx.all(settleUnknown, { seq, attempt, now })
  if (verdict.kind === 'failed')
    return tx.all(settleFailed, { seq, attempt, error: storedError(verdict.error), now })
  await putBack(tx, args, { seq, attempt }, verdict)
  return []
}

/** The message waits for its next attempt: in the queue if its time has come, which no clock that is set back can take away. */
async function putBack(
  tx: Transaction,
  { instanceId: instance, now }: SettleAndClaimArgs,
  attempt: Attempt,
  { at, error, uncertain, unbegun }: Extract<Verdict, { kind: 'again' }>,
): Promise<void> {
  if (unbegun) {
    await tx.run(takeBack, { ...attempt, instance })
    return
  }
  const values = { ...attempt, at, error: error && storedError(error) }
  const waits = (await tx.run(uncertain ? repeat : postpone, values)) > 0
  if (waits && at <= now) await enqueue(tx, { instance, seq: attempt.seq })
}

const selectQueued = statement<{ instance: string; now: number; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select(['seq', 'id', 'recipient', 'kind', 'text', 'network_message_id', 'attempts'])
    .where('instance_id', '=', argument('instance'))
    .where('queue_position', 'is not', null)
    .where('expires_at', '>', argument('now'))
    .orderBy('queue_position')
    .limit(argument('limit')),
)

const begin = statement<{ seq: number }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set((eb) => ({ status: 'sending', underway: 1, attempts: eb('attempts', '+', 1), queue_position: null }))
    .where('seq', '=', argument('seq'))
    .where(changedBy('claimed')),
)

async function claimDue(tx: Transaction, { instanceId, claim, now }: SettleAndClaimArgs): Promise<Claimed[]> {
  await enqueueDue(tx, { instance: instanceId, now })
  const queued = await tx.all(selectQueued, { instance: instanceId, now, limit: claim })
  const media = queued.filter(({ kind }) => kind !== 'text').map(({ id }) => id)
  const files = await filesOf(tx, media)
  const claimed: Claimed[] = []
  for (const { attempts, ...message } of queued) {
    await tx.run(begin, { seq: message.seq })
    claimed.push({
      ...message,
      kind: message.kind as SentKind,
      file: files.get(message.id) ?? null,
      attempt: attempts + 1,
    })
  }
  return claimed
}
