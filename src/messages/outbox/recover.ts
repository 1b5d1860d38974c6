import { unsettled } from '../../store/statement.ts'
import { transaction } from '../../store/store.ts'
import { tellMessages } from '../message-events.ts'
import { changedBy } from '../transition.ts'
import { endOfQueue, passLead } from './lane.ts'
import { settleProven } from './outbox.ts'
import { leaveQueue } from './queue-depth.ts'
import { depart, departing } from './sweep.ts'

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
    for (const row of interrupted) {
      const proven = await tx.all(settleProven, { seq: row.seq, now })
      if (proven.length > 0) {
        await tellMessages(tx, proven, now, { settled: true })
        await leaveQueue(tx, row.instance_id, 1)
        await passLead(tx, { instance: row.instance_id, recipient: row.recipient })
      } else if (repeating.has(row.instance_id)) {
        await tx.run(
          tx.sql
            .updateTable('messages')
            .set((eb) => ({
              underway: 0,
              uncertain: 1,
              queue_position: eb.case().when('held', '=', 0).then(endOfQueue(tx.sql, row.instance_id)).end(),
            }))
            .where('seq', '=', row.seq)
            .where(changedBy('interrupted')),
        )
      } else {
        await depart(tx, [row], 'unanswered', now)
      }
    }
    return interrupted.length
  },
)
