import { forEach, unsettled } from '../../store/statement.ts'
import { transaction } from '../../store/store.ts'
import { keepAttempts } from '../attempts.ts'
import { changedBy } from '../transition.ts'
import { enqueue } from './lane.ts'
import { leaveQueue } from './leave-queue.ts'
import { settleProven } from './outbox.ts'
import { depart, departing } from './sweep.ts'

const repeat = forEach<{ seq: number }>({ seq: 'bigint' })((sql, given) =>
  sql
    .updateTable('messages')
    .set({ underway: 0, uncertain: 1 })
    .where('seq', '=', given('seq'))
    .where(changedBy('interrupted'))
    .returning(['seq', 'instance_id', 'held', 'leads_lane']),
)

/**
 * Takes up, at the start of a server, the attempts that were under way when the server before it ended: nobody knows their
 * outcome. A message is settled if a receipt proves that it arrived. The others are repeated if the network recognizes
 * repetitions by their id; otherwise they become `unknown`. Returns how many there were.
 */
export const recoverMessages = transaction(
  'messages.recover',
  async (tx, args: { now: number; dedupingNetworks: readonly string[] }): Promise<number> => {
    const { now } = args
    const interrupted = await tx.all(
      tx.sql
        .selectFrom('messages')
        .select([...departing, 'attempts', 'last_attempt_at'])
        .where(unsettled)
        .where('underway', '=', 1),
    )
    await keepAttempts(
      tx,
      interrupted.map(({ seq, attempts: number, last_attempt_at: startedAt }) => ({
        ...{ seq, number, startedAt, endedAt: now },
        ...{ outcome: 'uncertain', error: null, nextAt: null },
      })),
    )
    const instances = await tx.all(tx.sql.selectFrom('instances').select(['id', 'network']))
    const deduping = new Set(args.dedupingNetworks)
    const repeating = new Set(instances.filter(({ network }) => deduping.has(network)).map(({ id }) => id))
    const proven = await tx.allForEach(
      settleProven,
      interrupted.map(({ seq }) => ({ seq, now })),
    )
    await leaveQueue(
      tx,
      proven.map((row) => ({ row })),
      now,
    )
    const isProven = new Set(proven.map(({ seq }) => seq))
    const open = interrupted.filter(({ seq }) => !isProven.has(seq))
    const [repeated, unknown] = [true, false].map((repeats) =>
      open.filter(({ instance_id }) => repeating.has(instance_id) === repeats),
    ) as [typeof open, typeof open]
    const waiting = await tx.allForEach(repeat, repeated)
    const leaders = waiting.filter(({ held, leads_lane }) => held === 0 && leads_lane === 1)
    await enqueue(
      tx,
      leaders.map(({ seq, instance_id: instance }) => ({ instance, seq })),
    )
    await depart(tx, unknown, 'unanswered', now)
    return interrupted.length
  },
)
