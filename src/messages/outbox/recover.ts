import { forEach, unsettled } from '../../store/statement.ts'
import { transaction } from '../../store/store.ts'
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
 * Takes up, at the start of a server, the attempts that were under way when the server before it ended: nobody knows
 * what became of them. Where a receipt proves that one arrived, it is settled; where the network tells repetitions by
 * their id, the others are repeated; elsewhere they become `unknown`. Tells how many there were.
 */
export const recoverMessages = transaction(
  'messages.recover',
  async (tx, args: { now: number; dedupingNetworks: readonly string[] }): Promise<number> => {
    const { now } = args
    const interrupted = await tx.all(
      tx.sql.selectFrom('messages').select(departing).where(unsettled).where('underway', '=', 1),
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
