import type { ExpressionBuilder } from 'kysely'
import type { Schema } from '../store/schema.ts'
import { statement, unsettled } from '../store/statement.ts'
import { type Transaction, transaction } from '../store/store.ts'
import type { Verdict } from './verdict.ts'

/*
 * The outbox. The message row is the queue entry; there is no second truth.
 *
 * The unsettled messages of one instance to one recipient form a lane. At most one of them has the turn: it waits for
 * its time in `turn_at`, or an attempt is under way (`sending` with `turn_at` null). When it is settled, the turn passes
 * to the next, in the order of acceptance. So order holds in each lane, no lane holds up another, and finding what is to
 * be sent next takes the same time however much is queued behind.
 */

/** A message that was claimed for an attempt. */
export interface Claimed {
  readonly seq: number
  readonly id: string
  readonly recipient: string
  readonly text: string
  readonly network_message_id: string
  /** Counted from 1. */
  readonly attempt: number
}

/** What an attempt came to. */
export interface Attempted {
  readonly seq: number
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
   * The attempts that are under way, where the answer to a turn was lost: what else the store takes for under way was
   * claimed by that turn and never begun. Null where every turn was answered.
   */
  readonly holding: readonly number[] | null
}

export interface Turned {
  readonly claimed: readonly Claimed[]
  /** When the next message has its turn, if nothing more is due now and there is one. */
  readonly nextTurnAt: number | null
}

/** Settles what ended and claims what is due, under one commit: an attempt begins only after its claim is on disk. */
export const turnOutbox = transaction('outbox.turn', async (tx, args: TurnArgs): Promise<Turned> => {
  if (args.holding) await takeBackUnheard(tx, args, args.holding)
  let left = 0
  for (const attempted of args.attempted) if (await applyVerdict(tx, args, attempted)) left++
  if (left > 0) await leaveQueue(tx, args.instanceId, left)
  if (args.claim <= 0) return { claimed: [], nextTurnAt: null }
  const claimed = await claimDue(tx, args)
  return { claimed, nextTurnAt: claimed.length < args.claim ? await nextTurn(tx, args) : null }
})

const settleSent = statement<{ seq: number; now: number }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set((eb) => ({
      // A receipt that overtook the acknowledgement was noted meanwhile; it says more than `sent`.
      status: eb
        .case()
        .when('read_at', 'is not', null)
        .then('read' as const)
        .when('delivered_at', 'is not', null)
        .then('delivered' as const)
        .else('sent' as const)
        .end(),
      sent_at: argument('now'),
      error: null,
      uncertain: 0,
    }))
    .where('seq', '=', argument('seq'))
    .where('status', '=', 'sending'),
)

const settleFailed = statement<{ seq: number; error: string }>()((sql, argument) =>
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
    }))
    .where('seq', '=', argument('seq'))
    .where('status', '=', 'sending'),
)

const settleUnknown = statement<{ seq: number }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set({ status: 'unknown', uncertain: 1 })
    .where('seq', '=', argument('seq'))
    .where('status', '=', 'sending'),
)

const tryAgain = statement<{ seq: number; at: number; error: string | null; uncertain: number }>()(
  (sql, argument) =>
    sql
      .updateTable('messages')
      .set((eb) => ({
        turn_at: argument('at'),
        error: argument('error'),
        uncertain: eb.case().when('uncertain', '=', 1).then(1).else(argument('uncertain')).end(),
      }))
      .where('seq', '=', argument('seq'))
      .where('status', '=', 'sending'),
)

/** An attempt that was never begun leaves no trace but the status, which does not move backwards. */
const takeBack = statement<{ seq: number; at: number }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set((eb) => ({ turn_at: argument('at'), attempts: eb('attempts', '-', 1) }))
    .where('seq', '=', argument('seq'))
    .where('status', '=', 'sending')
    .where('turn_at', 'is', null),
)

/** Gives the turn back to messages whose claim was kept without the dispatch hearing of it. */
async function takeBackUnheard(
  tx: Transaction,
  { instanceId, now }: TurnArgs,
  holding: readonly number[],
): Promise<void> {
  const query = tx.sql
    .selectFrom('messages')
    .select('seq')
    .where('instance_id', '=', instanceId)
    .where(unsettled)
    .where('status', '=', 'sending')
    .where('turn_at', 'is', null)
  for (const { seq } of await tx.all(query))
    if (!holding.includes(seq)) await tx.run(takeBack, { seq, at: now })
}

/** A message proven by a receipt needs no second attempt, whatever its attempt came to. */
export const settleProven = statement<{ seq: number; now: number }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set((eb) => ({
      status: eb
        .case()
        .when('read_at', 'is not', null)
        .then('read' as const)
        .else('delivered' as const)
        .end(),
      sent_at: argument('now'),
      error: null,
      uncertain: 0,
    }))
    .where('seq', '=', argument('seq'))
    .where('status', '=', 'sending')
    .where((eb) => eb.or([eb('delivered_at', 'is not', null), eb('read_at', 'is not', null)])),
)

/** True when the message left the queue by it. */
async function applyVerdict(
  tx: Transaction,
  { instanceId, now }: TurnArgs,
  attempted: Attempted,
): Promise<boolean> {
  const { seq, recipient, verdict } = attempted
  let left = verdict.kind !== 'sent' && (await tx.run(settleProven, { seq, now })) > 0
  if (!left && verdict.kind === 'again') {
    const error = verdict.error && storedError(verdict.error)
    if (verdict.unbegun) await tx.run(takeBack, { seq, at: verdict.at })
    else await tx.run(tryAgain, { seq, at: verdict.at, error, uncertain: verdict.uncertain ? 1 : 0 })
    return false
  }
  if (!left) left = (await settle(tx, seq, verdict, now)) > 0
  if (left) await passTurn(tx, { instance: instanceId, recipient, now })
  return left
}

function settle(tx: Transaction, seq: number, verdict: Verdict, now: number): Promise<number> {
  if (verdict.kind === 'sent') return tx.run(settleSent, { seq, now })
  if (verdict.kind === 'failed') return tx.run(settleFailed, { seq, error: storedError(verdict.error) })
  return tx.run(settleUnknown, { seq })
}

/** An error as it is kept: the published shape, in JSON. */
export function storedError(error: {
  code: string
  detail: string
  permanent: boolean
  network_code?: string
}): string {
  const { code, detail, permanent, network_code = null } = error
  return JSON.stringify({ code, detail, permanent, network_code })
}

const leave = statement<{ instance: string; count: number }>()((sql, argument) =>
  sql
    .updateTable('instances')
    .set((eb) => ({ queue_depth: eb('queue_depth', '-', argument('count')) }))
    .where('id', '=', argument('instance')),
)

/** Gives back the queue places of messages that were settled. */
export async function leaveQueue(tx: Transaction, instance: string, count: number): Promise<void> {
  await tx.run(leave, { instance, count })
}

/**
 * The condition that a message stands in its lane: one that is scheduled for later joins when its time comes. That it has
 * joined shows in the row too, and counts more than the clock, which may be set back.
 */
export function joined(now: number) {
  return (eb: ExpressionBuilder<Schema, 'messages'>) =>
    eb.or([
      eb('send_at', 'is', null),
      eb('turn_at', 'is', null),
      eb('status', '=', 'sending'),
      eb('send_at', '<=', now),
    ])
}

const selectWaiting = statement<Lane>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select(['seq', 'status', 'turn_at'])
    .where('instance_id', '=', argument('instance'))
    .where('recipient', '=', argument('recipient'))
    .where(unsettled)
    .where(joined(argument('now')))
    .orderBy('seq')
    .limit(1),
)

const giveTurn = statement<{ seq: number; now: number }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set({ turn_at: argument('now') })
    .where('seq', '=', argument('seq')),
)

export interface Lane {
  readonly instance: string
  readonly recipient: string
  readonly now: number
}

/** Gives the turn to the next message of a lane whose holder was settled. */
export async function passTurn(tx: Transaction, lane: Lane): Promise<void> {
  const next = await tx.first(selectWaiting, lane)
  if (next && next.status === 'queued' && next.turn_at === null)
    await tx.run(giveTurn, { seq: next.seq, now: lane.now })
}

const selectDue = statement<{ instance: string; now: number; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select(['seq', 'id', 'recipient', 'text', 'network_message_id', 'attempts', 'send_at', 'status'])
    .where('instance_id', '=', argument('instance'))
    .where('turn_at', '<=', argument('now'))
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
  const claimed: Claimed[] = []
  // Those that have to queue up first make room for others that are due.
  for (let full = true; full && claimed.length < claim; ) {
    const limit = claim - claimed.length
    const due = await tx.all(selectDue, { instance: instanceId, now, limit })
    full = due.length === limit
    for (const row of due) {
      const lane = { instance: instanceId, recipient: row.recipient, now, seq: row.seq }
      const scheduled = row.send_at !== null && row.status === 'queued'
      if (scheduled && (await mustQueueUp(tx, lane))) continue
      await tx.run(begin, { seq: row.seq })
      const { seq, id, recipient, text, network_message_id } = row
      claimed.push({ seq, id, recipient, text: text ?? '', network_message_id, attempt: row.attempts + 1 })
    }
  }
  return claimed
}

const selectHolder = statement<Lane & { seq: number }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select('seq')
    .where('instance_id', '=', argument('instance'))
    .where('recipient', '=', argument('recipient'))
    .where(unsettled)
    .where('seq', '!=', argument('seq'))
    .where((eb) =>
      eb.or([
        eb('status', '=', 'sending'),
        eb.and([
          eb('turn_at', 'is not', null),
          eb.or([
            eb('send_at', 'is', null),
            eb.and([eb('send_at', '<=', argument('now')), eb('seq', '<', argument('seq'))]),
          ]),
        ]),
      ]),
    )
    .limit(1),
)

const waitForTurn = statement<{ seq: number }>()((sql, argument) =>
  sql.updateTable('messages').set({ turn_at: null }).where('seq', '=', argument('seq')),
)

/** A scheduled message whose time has come takes its place in the lane; true when another message has the turn there. */
async function mustQueueUp(tx: Transaction, place: Lane & { seq: number }): Promise<boolean> {
  if (!(await tx.first(selectHolder, place))) return false
  await tx.run(waitForTurn, { seq: place.seq })
  return true
}

const selectNextTurn = statement<{ instance: string; now: number }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select('turn_at')
    .where('instance_id', '=', argument('instance'))
    .where('turn_at', '>', argument('now'))
    .orderBy('turn_at')
    .limit(1),
)

async function nextTurn(tx: Transaction, { instanceId, now }: TurnArgs): Promise<number | null> {
  return (await tx.first(selectNextTurn, { instance: instanceId, now }))?.turn_at ?? null
}
