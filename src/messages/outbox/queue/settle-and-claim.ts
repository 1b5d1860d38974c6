import type { ExpressionBuilder } from 'kysely'
import type { Schema } from '../../../store/schema.ts'
import { type Argument, batchStatement } from '../../../store/statement.ts'
import { isForeign, type OfTurn, type Transaction, transactionOfMany } from '../../../store/store.ts'
import { type EndedAttempt, keepAttempts } from '../../history/attempts.ts'
import { instancesWithIds, isTakenOverSince, type MessageInstance } from '../../message-instances.ts'
import { storedError } from '../../stored-error.ts'
import { changedBy } from '../../transition.ts'
import { usableIds } from './assigned-ids.ts'
import { type ClaimedMessage, claimDue, type MessageClaim } from './claim.ts'
import { enqueue } from './lane.ts'
import { freePlaces, leaveQueue } from './leave-queue.ts'
import {
  type Change,
  changeBy,
  type LeftOutbox,
  type OutboxPlace,
  type RefusedUnsent,
  type Removed,
  removedBy,
  removedByAttempt,
  removeProven,
  sentWithOthers,
  writeSettled,
} from './settle.ts'
import type { Verdict } from './verdict.ts'

/*
 * The outbox has a row for each message until it is settled; there is no second truth. The messages at the head of the queue of
 * an instance (lane.ts) are claimed (claim.ts): each is `sending`, and `underway` until its attempt has ended. When one is
 * settled (settle.ts), the next of its lane leads. So order holds in each lane, no lane holds up another, and finding what to send next
 * takes the same time however much is queued.
 */

/** One attempt of one message. */
export type Attempt = Pick<ClaimedMessage, 'seq' | 'attempt'>

/** The verdict on an attempt. */
export interface MessageVerdict extends Attempt {
  readonly recipient: string
  readonly verdict: Verdict
}

export interface SettleAndClaimArgs extends MessageClaim, OfTurn {
  /** Attempts that ended since the last call. Those of texts that were claimed together for one recipient come together, too. */
  readonly attempted: readonly MessageVerdict[]
  readonly now: number
  /**
   * If the answer to the last call was lost, all attempts that dispatch knows of: any other that is under way in the store
   * was claimed by that call and never begun (docs/decisions/0015). Null if it was answered.
   */
  readonly holding: HeldAttempts | null
}

/** All attempts that a dispatch knows of, and the epoch of the instance in which it runs: another dispatch has attempts of the next one. */
interface HeldAttempts {
  readonly attempts: readonly Attempt[]
  readonly epoch: number
}

export interface SettledAndClaimed {
  readonly claimed: readonly ClaimedMessage[]
  /**
   * Messages that were settled without an attempt of their own: those that were due and may no longer be sent, and those that were sent
   * with others, without an error. Others may be due instead.
   */
  readonly refused: readonly Pick<RefusedUnsent, 'id' | 'error'>[]
  /** The next time that a message waits for, if there is one and nothing more is due now. */
  readonly nextDueAt: number | null
}

/**
 * Settles what ended and claims what is due, of all instances that ask in one moment and under one commit: an attempt begins
 * only after its claim is on disk.
 */
export const settleAndClaim = transactionOfMany(
  'outbox.settle_and_claim',
  async (tx, calls: readonly SettleAndClaimArgs[]): Promise<SettledAndClaimed[]> => {
    const now = Math.max(...calls.map((call) => call.now))
    const instances = await instancesOf(tx, calls)
    const ended: Ended[] = []
    for (const { instanceId, attempted, holding } of calls) {
      const { number: instance = 0 } = instances.get(instanceId) ?? {}
      const unheard = holding ? await findOrphanedClaims(tx, { instance, instanceId }, holding) : []
      for (const each of [...unheard, ...attempted]) ended.push({ ...each, instance })
    }
    const known = new Map([...instances.values()].map((instance) => [instance.number, instance]))
    const { left, corrections } = await settleEnded(tx, ended, { known, now })
    const claims = claimsOf(calls)
    const numbered = [...claims.values()].flatMap((call) => {
      const instance = instances.get(call.instanceId)?.number
      return instance === undefined ? [] : [{ ...call, instance }]
    })
    const { claimed, nextDue, refused } = await claimDue(tx, numbered, now)
    // By this row a transaction whose answer is lost is waited for; those that left have written it.
    const written = new Set([
      ...left.map(({ row }) => row.instance),
      ...refused.map(({ instance }) => instance),
    ])
    const others = numbered.filter(({ instance }) => claimed.has(instance) && !written.has(instance))
    freePlaces(
      tx,
      others.map(({ instanceId: instance }) => ({ instance, count: 0 })),
    )
    return calls.map((call) => {
      const { instanceId, claim } = call
      // If another call of the instance came first, this caller asks again at once.
      if (claim > 0 && claims.get(instanceId) !== call) return { claimed: [], refused: [], nextDueAt: now }
      const { number = 0 } = instances.get(instanceId) ?? {}
      const own = claim > 0 ? (claimed.get(number) ?? []) : []
      const unsent =
        claim > 0
          ? refused.flatMap(({ id, instance, error }) => (instance === number ? [{ id, error }] : []))
          : []
      unsent.push(...corrections.filter(({ instance }) => instance === number))
      const nextDueAt = own.length < claim ? (nextDue.get(number) ?? null) : null
      return { claimed: own, refused: unsent, nextDueAt }
    })
  },
  { weigh: ({ attempted }) => 1 + attempted.length, isJson: () => true, isToldTurn: true },
)

/** The instances of these calls, by their ids, but for those of other organizations than their turns are of. */
async function instancesOf(
  tx: Transaction,
  calls: readonly SettleAndClaimArgs[],
): Promise<ReadonlyMap<string, MessageInstance>> {
  const found = await instancesWithIds(
    tx,
    calls.map(({ instanceId }) => instanceId),
  )
  const foreign = calls.filter((call) => {
    const instance = found.get(call.instanceId)
    return instance !== undefined && isForeign(call, instance.organization_id)
  })
  if (foreign.length === 0) return found
  const names = new Set(foreign.map(({ instanceId }) => instanceId))
  return new Map([...found].filter(([id]) => !names.has(id)))
}

/** The call that claims for each instance: the first that wants to, so that no message is claimed twice. */
function claimsOf(calls: readonly SettleAndClaimArgs[]): ReadonlyMap<string, SettleAndClaimArgs> {
  const claims = new Map<string, SettleAndClaimArgs>()
  for (const call of calls) {
    if (call.claim > 0 && !claims.has(call.instanceId)) claims.set(call.instanceId, call)
  }
  return claims
}

/** An attempt that ended, and the number of its instance. */
type OfInstance = Attempt & { readonly instance: number }
type Ended = MessageVerdict & OfInstance

const unbegun = { kind: 'again', at: 0, error: null, uncertain: false, unbegun: true } as const

/**
 * The attempts that were claimed without dispatch hearing of it. The transaction that claimed them may not even be over: on
 * PostgreSQL it can outlive its connection. It has written to the row of its instance, so this transaction writes there
 * first: PostgreSQL makes it wait until the other one ends, and start again if that one committed.
 */
async function findOrphanedClaims(
  tx: Transaction,
  { instance, instanceId }: { readonly instance: number; readonly instanceId: string },
  { attempts, epoch }: HeldAttempts,
): Promise<MessageVerdict[]> {
  freePlaces(tx, [{ instance: instanceId, count: 0 }])
  if (await isTakenOverSince(tx, instanceId, epoch)) return []
  const underway = await tx.all(
    tx.sql
      .selectFrom('outbox')
      .select(['seq', 'recipient', 'attempts as attempt'])
      .where('instance', '=', instance)
      .where('underway', '=', 1),
  )
  return underway
    .filter((one) => !attempts.some(({ seq, attempt }) => seq === one.seq && attempt === one.attempt))
    .map((attempt) => ({ ...attempt, verdict: unbegun }))
}

/** An attempt that ended, with the row of its message that the outcome removed from the outbox. */
interface Settled {
  readonly removed: Removed
  readonly change: Change
}

const removeAccepted = removedBy('acknowledged')
const removeFailed = removedByAttempt('refused')
const removeUnknown = removedByAttempt('unanswered')
/** Of messages whose attempt is under way, or was given up and none was begun since. */
const removeUnknownLate = removedBy('unanswered')

/** Messages that the network accepted, each with the id that it assigned. */
async function settleAccepted(tx: Transaction, accepted: readonly Ended[], now: number): Promise<Settled[]> {
  const assignments = accepted.flatMap(({ seq, instance, verdict }) =>
    verdict.kind === 'sent' && verdict.networkId !== undefined
      ? [{ seq, instance, assigned: verdict.networkId }]
      : [],
  )
  const ids = assignments.length > 0 ? await usableIds(tx, assignments) : new Map<number, string>()
  const removed = await tx.allForEach(removeAccepted, accepted)
  const verdicts = new Map(accepted.map(({ seq, verdict }) => [seq, verdict]))
  return removed.map((row) => {
    const verdict = verdicts.get(row.seq)
    const notices = verdict?.kind === 'sent' ? (verdict.notices ?? null) : null
    const told = { acceptedAt: now, error: null, networkId: ids.get(row.seq) ?? null, notices }
    return { removed: row, change: changeBy('acknowledged', row, told) }
  })
}

/** Settles messages that a receipt proves: they need no second attempt, however their attempts ended. */
export async function settleProven(
  tx: Transaction,
  messages: readonly OutboxPlace[],
  now: number,
): Promise<Settled[]> {
  const removed = await tx.allForEach(removeProven, messages)
  const told = { acceptedAt: now, error: null }
  return removed.map((row) => ({ removed: row, change: changeBy('acknowledged', row, told) }))
}

async function settleFailed(tx: Transaction, failed: readonly Ended[]): Promise<Settled[]> {
  const errors = new Map(
    failed.map(({ seq, verdict }) => [seq, verdict.kind === 'failed' ? storedError(verdict.error) : null]),
  )
  const removed = await tx.allForEach(removeFailed, failed)
  return removed.map((row) => {
    const error = errors.get(row.seq) ?? null
    return { removed: row, change: changeBy('refused', row, { error }) }
  })
}

async function settleUnanswered(tx: Transaction, unanswered: readonly Ended[]): Promise<Settled[]> {
  const [late, unknown] = split(
    unanswered,
    ({ verdict }) => verdict.kind === 'unknown' && verdict.late === true,
  )
  const removed = await tx.allForEach(removeUnknown, unknown)
  removed.push(...(await tx.allForEach(removeUnknownLate, late)))
  return removed.map((row) => ({ removed: row, change: changeBy('unanswered', row) }))
}

type Postponed = OfInstance & { readonly at: number; readonly error: string | null }

/** The columns read of a message that waits for its next attempt. */
const postponedColumns = ['seq', 'instance', 'leads_lane', 'due_at', 'last_attempt_at'] as const

/** Only the attempt that is under way can be tried again. */
const isUnderway = (argument: Argument<OfInstance>) => (eb: ExpressionBuilder<Schema, 'outbox'>) =>
  eb.and([
    eb('seq', '=', argument('seq')),
    eb('instance', '=', argument('instance')),
    eb('attempts', '=', argument('attempt')),
    eb('underway', '=', 1),
  ])

const unclaimed = { seq: 'bigint', instance: 'bigint', attempt: 'integer', at: 'bigint' } as const
const postponed = { ...unclaimed, error: 'text' } as const

/** The time of the next attempt, if the message leads its lane; the others wait for those before them. */
const dueIfLeading = (at: number) => (eb: ExpressionBuilder<Schema, 'outbox'>) =>
  eb.case().when('leads_lane', '=', eb.lit(1)).then(at).end()

const postpone = batchStatement<Postponed>(postponed)((sql, given) =>
  sql
    .updateTable('outbox')
    .set((eb) => ({ underway: 0, due_at: dueIfLeading(given('at'))(eb), error: given('error') }))
    .where(isUnderway(given))
    .where(changedBy('postponed'))
    .returning(postponedColumns),
)

const repeat = batchStatement<Postponed>(postponed)((sql, given) =>
  sql
    .updateTable('outbox')
    .set((eb) => ({
      underway: 0,
      uncertain: 1,
      due_at: dueIfLeading(given('at'))(eb),
      error: given('error'),
    }))
    .where(isUnderway(given))
    .where(changedBy('interrupted'))
    .returning(postponedColumns),
)

/** An attempt that was never begun leaves no trace but the status, which does not move backwards. */
const unclaim = batchStatement<OfInstance & { at: number }>(unclaimed)((sql, given) =>
  sql
    .updateTable('outbox')
    .set((eb) => ({
      underway: 0,
      attempts: eb('attempts', '-', 1),
      due_at: dueIfLeading(given('at'))(eb),
    }))
    .where(isUnderway(given))
    .where(changedBy('unclaimed'))
    .returning(postponedColumns),
)

/** Carries out the verdicts. Returns the messages that are settled by that, in the order of their attempts. */
async function settleEnded(
  tx: Transaction,
  ended: readonly Ended[],
  { known, now }: { readonly known: ReadonlyMap<number, MessageInstance>; readonly now: number },
): Promise<{ left: LeftOutbox[]; corrections: RefusedUnsent[] }> {
  const [sent, others] = split(ended, ({ verdict }) => verdict.kind === 'sent')
  const accepted = await settleAccepted(tx, sent, now)
  const proven = await settleProven(tx, others, now)
  const isProven = new Set(proven.map(({ removed }) => removed.seq))
  const open = others.filter(({ seq }) => !isProven.has(seq))
  const ofKind = (kind: Verdict['kind']) => open.filter(({ verdict }) => verdict.kind === kind)
  const unanswered = await settleUnanswered(tx, ofKind('unknown'))
  const failed = await settleFailed(tx, ofKind('failed'))
  const { rows: postponed, retries } = await putBack(tx, open, now)
  const order = new Map(ended.map(({ seq }, index) => [seq, index]))
  const place = ({ removed }: Settled) => order.get(removed.seq) ?? 0
  const settled = [...accepted, ...proven, ...unanswered, ...failed].sort((a, b) => place(a) - place(b))
  const changed = { settled: settled.map(({ removed }) => removed), postponed }
  keepAttempts(tx, attemptsToKeep(ended, changed, now))
  const left = await writeSettled(tx, settled, now, known)
  const corrections = await leaveQueue(tx, left, now, retries)
  return { left, corrections: [...sentWithOthers(corrections).values()] }
}

function split<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))]
}

/**
 * Messages wait for their next attempt: in the queue if its time has come, which no clock that is set back can take away.
 * Those that do not lead their lane wait for those before them. Returns which of all are to wait for a time.
 */
async function putBack(
  tx: Transaction,
  ended: readonly Ended[],
  now: number,
): Promise<{ rows: Begun[]; retries: ReadonlyMap<number, number> }> {
  const again = ended.flatMap(({ seq, instance, attempt, verdict }) =>
    verdict.kind === 'again' ? [{ seq, instance, attempt, ...verdict }] : [],
  )
  const [begun, never] = split(again, ({ unbegun }) => !unbegun)
  const stored = begun.map((one) => ({ ...one, error: one.error && storedError(one.error) }))
  const [doubtful, certain] = split(stored, ({ uncertain }) => uncertain)
  const unbegun = await tx.allForEach(unclaim, never)
  const rows = [...(await tx.allForEach(repeat, doubtful)), ...(await tx.allForEach(postpone, certain))]
  const leaders = [...unbegun, ...rows].filter(
    ({ due_at, leads_lane }) => (due_at ?? 0) <= now && leads_lane === 1,
  )
  await enqueue(
    tx,
    leaders.map(({ seq, instance }) => ({ instance, seq })),
  )
  // Not those of a verdict that changed nothing: it was carried out before, and by now the clock may be set back behind its time.
  const isIn = (changed: readonly { readonly seq: number }[]) => {
    const seqs = new Set(changed.map(({ seq }) => seq))
    return ({ seq }: Attempt) => seqs.has(seq)
  }
  const carriedOut = [...never.filter(isIn(unbegun)), ...begun.filter(isIn(rows))]
  const waiting = carriedOut.filter(({ at }) => at > now)
  const retries = new Map(waiting.map(({ seq, at }) => [seq, at]))
  return { rows, retries }
}

type Begun = Pick<Removed, 'seq' | 'last_attempt_at'>

/** The attempts of which rows are kept: those that changed their message and did not simply succeed. */
function attemptsToKeep(
  ended: readonly Ended[],
  changed: { readonly settled: readonly Begun[]; readonly postponed: readonly Begun[] },
  now: number,
): EndedAttempt[] {
  const failed = ended.filter(({ verdict }) => verdict.kind !== 'sent' || verdict.late)
  if (failed.length === 0) return []
  const rows = new Map([...changed.settled, ...changed.postponed].map((row) => [row.seq, row]))
  const isPostponed = new Set(changed.postponed.map(({ seq }) => seq))
  return failed.flatMap(({ seq, attempt: number, verdict }): EndedAttempt[] => {
    const row = rows.get(seq)
    if (!row || (verdict.kind === 'again' && verdict.unbegun)) return []
    const isLate = 'late' in verdict && verdict.late
    return [
      {
        message_seq: seq,
        number,
        outcome: outcomeOf(verdict),
        started_at: isLate ? null : row.last_attempt_at,
        ended_at: now,
        error: 'error' in verdict && verdict.error ? storedError(verdict.error) : null,
        next_attempt_at: verdict.kind === 'again' && isPostponed.has(seq) ? Math.max(verdict.at, now) : null,
      },
    ]
  })
}

function outcomeOf(verdict: Verdict): EndedAttempt['outcome'] {
  if (verdict.kind === 'sent') return 'accepted'
  if (verdict.kind === 'failed') return 'rejected'
  if (verdict.kind === 'unknown' || verdict.uncertain) return 'uncertain'
  return verdict.deferred ? 'deferred' : 'rejected'
}
