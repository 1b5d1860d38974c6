import type { Expression, ExpressionBuilder } from 'kysely'
import type { MessageStatus, SentKind } from '../contract/message.ts'
import type { Schema } from '../store/schema.ts'
import { type Argument, statement, unsettled } from '../store/statement.ts'
import { type Transaction, transaction } from '../store/store.ts'
import { callUp, endOfLine, lineUp, nextTime, passTurn } from './lane.ts'
import type { MessageRow } from './message.ts'
import { tellMessages } from './message-events.ts'
import { filesOf, type MessageFile } from './message-file.ts'
import { leaveQueue, storedError } from './settling.ts'
import type { Verdict } from './verdict.ts'

/*
 * The outbox. The message row is the queue entry; there is no second truth. Whose turn it is stands there too (lane.ts). What
 * has its turn is claimed: it is `sending`, with `turn_at` null until its attempt has ended. When it is settled, the turn of
 * its lane passes to the next. So order holds in each lane, no lane holds up another, and finding what is to be sent next
 * takes the same time however much is queued behind.
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

export interface TurnArgs {
  readonly instanceId: string
  /** Attempts that ended since the last turn. */
  readonly attempted: readonly Attempted[]
  /** How many messages may be claimed now. */
  readonly claim: number
  readonly now: number
  /**
   * Where the answer to a turn was lost, all attempts that somebody knows of: what else the store takes for under way was
   * claimed by that turn and never begun (docs/decisions/0015). Null where every turn was answered.
   */
  readonly holding: readonly Attempt[] | null
}

export interface Turned {
  readonly claimed: readonly Claimed[]
  /** The next time that a message waits for, if there is one and nothing more is due now. */
  readonly nextTurnAt: number | null
}

/** Settles what ended and claims what is due, under one commit: an attempt begins only after its claim is on disk. */
export const turnOutbox = transaction('outbox.turn', async (tx, args: TurnArgs): Promise<Turned> => {
  const { instanceId, attempted, claim, holding } = args
  const ended = [...(holding ? await findUnheard(tx, instanceId, holding) : []), ...attempted]
  const left: MessageRow[] = []
  for (const each of ended) left.push(...(await applyVerdict(tx, args, each)))
  await tellMessages(tx, left, args.now, { settled: true })
  const claimed = claim > 0 ? await claimDue(tx, args) : []
  // Also where none has left: by this row a turn whose answer is lost is waited for.
  if (left.length > 0 || claimed.length > 0) await leaveQueue(tx, instanceId, left.length)
  return { claimed, nextTurnAt: claimed.length < claim ? await nextTime(tx, instanceId) : null }
})

const unbegun = { kind: 'again', at: 0, error: null, uncertain: false, unbegun: true } as const

/**
 * The attempts that were claimed without dispatch hearing of it. The turn that claimed them may not even be over: on
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
      .where('status', '=', 'sending')
      .where('turn_at', 'is', null),
  )
  return underway
    .filter((one) => !holding.some(({ seq, attempt }) => seq === one.seq && attempt === one.attempt))
    .map((attempt) => ({ ...attempt, verdict: unbegun }))
}

/** What a message becomes that leaves the queue: a receipt that was noted says more than anything else. */
export function provenOr<S extends MessageStatus>(
  { case: when }: ExpressionBuilder<Schema, 'messages'>,
  otherwise: S | Expression<S>,
) {
  return when()
    .when('read_at', 'is not', null)
    .then('read' as const)
    .when('delivered_at', 'is not', null)
    .then('delivered' as const)
    .else(otherwise as S)
    .end()
}

const arrived = (argument: Argument<{ now: number }>) => (eb: ExpressionBuilder<Schema, 'messages'>) => ({
  status: provenOr(eb, 'sent'),
  // What the recipient's side confirmed before the answer came was sent before that.
  sent_at: eb
    .case()
    .when('delivered_at', '<', argument('now'))
    .then(eb.ref('delivered_at'))
    .else(argument('now'))
    .end(),
  error: null,
  uncertain: 0,
  changed_at: argument('now'),
  turn_at: null,
})

/**
 * Whichever attempt it was that the network acknowledged: all carry one id. The message may wait for the next one by now, or
 * be under way again.
 */
const settleSent = statement<{ seq: number; now: number }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set(arrived(argument))
    .where('seq', '=', argument('seq'))
    .where('status', '=', 'sending')
    .returningAll(),
)

/** A message proven by a receipt needs no second attempt, whatever its attempt came to. */
export const settleProven = statement<{ seq: number; now: number }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set(arrived(argument))
    .where('seq', '=', argument('seq'))
    .where('status', '=', 'sending')
    .where('delivered_at', 'is not', null)
    .returningAll(),
)

/** Only the attempt that is under way can end. So what was kept before, by a turn whose answer was lost, is not done twice. */
const isUnderway = (argument: Argument<Attempt>) => (eb: ExpressionBuilder<Schema, 'messages'>) =>
  eb.and([
    eb('seq', '=', argument('seq')),
    eb('attempts', '=', argument('attempt')),
    eb('status', '=', 'sending'),
    eb('turn_at', 'is', null),
  ])

const settleFailed = statement<Attempt & { error: string; now: number }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set((eb) => ({
      status: eb
        .case()
        .when('uncertain', '=', 1)
        .then('unknown' as const)
        .else('failed' as const)
        .end(),
      error: argument('error'),
      changed_at: argument('now'),
    }))
    .where(isUnderway(argument))
    .returningAll(),
)

const settleUnknown = statement<Attempt & { now: number }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set({ status: 'unknown', uncertain: 1, changed_at: argument('now') })
    .where(isUnderway(argument))
    .returningAll(),
)

/** Whether its attempt is under way, or was given up and none was begun since. */
const settleUnknownLate = statement<{ seq: number }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set({ status: 'unknown', uncertain: 1, turn_at: null })
    .where('seq', '=', argument('seq'))
    .where('status', '=', 'sending')
    .returningAll(),
)

const tryAgain = statement<Attempt & { at: number; error: string | null; uncertain: number }>()(
  (sql, argument) =>
    sql
      .updateTable('messages')
      .set((eb) => ({
        turn_at: argument('at'),
        error: argument('error'),
        uncertain: eb.case().when('uncertain', '=', 1).then(1).else(argument('uncertain')).end(),
      }))
      .where(isUnderway(argument)),
)

/** An attempt that was never begun leaves no trace but the status, which does not move backwards. */
const takeBack = statement<Attempt & { instance: string }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set((eb) => ({ turn_at: endOfLine(sql, argument('instance')), attempts: eb('attempts', '-', 1) }))
    .where(isUnderway(argument)),
)

/** Tells the message, as it is then, where it left the queue by it; else nothing. */
async function applyVerdict(tx: Transaction, args: TurnArgs, attempted: Attempted): Promise<MessageRow[]> {
  const left = await settle(tx, args, attempted)
  if (left.length > 0) await passTurn(tx, { instance: args.instanceId, recipient: attempted.recipient })
  return left
}

async function settle(tx: Transaction, args: TurnArgs, attempted: Attempted): Promise<MessageRow[]> {
  const { seq, attempt, verdict } = attempted
  const { now } = args
  if (verdict.kind === 'sent') return tx.all(settleSent, { seq, now })
  const proven = await tx.all(settleProven, { seq, now })
  if (proven.length > 0) return proven
  if (verdict.kind === 'unknown')
    return verdict.late ? tx.all(settleUnknownLate, { seq }) : tx.all(settleUnknown, { seq, attempt, now })
  if (verdict.kind === 'failed')
    return tx.all(settleFailed, { seq, attempt, error: storedError(verdict.error), now })
  await putBack(tx, args, { seq, attempt }, verdict)
  return []
}

/** The message has its turn again: at once where its time has come, which no clock that is set back can take away. */
async function putBack(
  tx: Transaction,
  { instanceId: instance, now }: TurnArgs,
  attempt: Attempt,
  { at, error, uncertain, unbegun }: Extract<Verdict, { kind: 'again' }>,
): Promise<void> {
  if (unbegun) {
    await tx.run(takeBack, { ...attempt, instance })
    return
  }
  const values = { at, error: error && storedError(error), uncertain: uncertain ? 1 : 0 }
  const waits = (await tx.run(tryAgain, { ...attempt, ...values })) > 0
  if (waits && at <= now) await lineUp(tx, { instance, seq: attempt.seq })
}

const selectInLine = statement<{ instance: string; now: number; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select(['seq', 'id', 'recipient', 'kind', 'text', 'network_message_id', 'attempts'])
    .where('instance_id', '=', argument('instance'))
    .where('turn_at', '<', 0)
    .where('awaits_file', '=', 0)
    .where('held', '=', 0)
    .where('expires_at', '>', argument('now'))
    .orderBy('turn_at')
    .orderBy('seq')
    .limit(argument('limit')),
)

const begin = statement<{ seq: number }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set((eb) => ({ status: 'sending', attempts: eb('attempts', '+', 1), turn_at: null }))
    .where('seq', '=', argument('seq')),
)

async function claimDue(tx: Transaction, { instanceId, claim, now }: TurnArgs): Promise<Claimed[]> {
  await callUp(tx, { instance: instanceId, now })
  const inLine = await tx.all(selectInLine, { instance: instanceId, now, limit: claim })
  const media = inLine.filter(({ kind }) => kind !== 'text').map(({ id }) => id)
  const files = await filesOf(tx, media)
  const claimed: Claimed[] = []
  for (const { attempts, ...message } of inLine) {
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
