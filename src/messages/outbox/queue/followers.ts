import { batchStatement } from '../../../store/statement.ts'
import type { Transaction } from '../../../store/store.ts'

/*
 * Messages that wait outside their lanes until another one, their target, is settled (`targets.ts`).
 */

/** Messages that are told at once that their target was settled; others look by themselves. */
const toldAtOnce = 200

const markAwaited = batchStatement({ seq: 'bigint' })((sql, given) =>
  sql.updateTable('outbox').set({ awaited: 1 }).where('seq', '=', given('seq')),
)

/** Notes that messages wait outside their lanes for these to be settled. */
export function awaitTargets(tx: Transaction, seqs: readonly number[]): void {
  tx.sendForEach(
    markAwaited,
    seqs.map((seq) => ({ seq })),
  )
}

const joinAgain = batchStatement({ target: 'bigint', now: 'bigint' })((sql, given) =>
  sql
    .updateTable('outbox')
    .set({ joins_lane_at: 1, due_at: given('now') })
    .where('seq', 'in', (eb) =>
      eb
        .selectFrom('outbox as follower')
        .innerJoin('messages', 'messages.seq', 'follower.seq')
        .select('follower.seq')
        .where('follower.target_seq', '=', given('target'))
        .where('follower.joins_lane_at', '>', 0)
        .where((each) => each(each.fn.coalesce('messages.send_at', each.lit(0)), '<=', given('now')))
        .orderBy('follower.seq')
        .limit(toldAtOnce),
    ),
)

/** Has the messages that wait for these join their lanes. */
export function tellFollowers(tx: Transaction, targets: readonly number[], now: number): void {
  tx.sendForEach(
    joinAgain,
    targets.map((target) => ({ target, now })),
  )
}
