import { batchStatement } from '../../../store/statement.ts'
import { type Transaction, transaction } from '../../../store/store.ts'
import { keepAttempts } from '../../history/attempts.ts'
import { changedBy } from '../../transition.ts'
import { type UnsettledPlace, unsettledAfter } from '../../unsettled-places.ts'
import { enqueue } from '../queue/lane.ts'
import { leaveQueue } from '../queue/leave-queue.ts'
import { writeSettled } from '../queue/settle.ts'
import { settleProven } from '../queue/settle-and-claim.ts'
import { settleWithoutAttempt } from '../sweep/sweep.ts'

const repeat = batchStatement({ seq: 'bigint' })((sql, given) =>
  sql
    .updateTable('outbox')
    .set({ underway: 0, uncertain: 1 })
    .where('seq', '=', given('seq'))
    .where(changedBy('interrupted'))
    .returning(['seq', 'instance', 'held', 'leads_lane']),
)

interface RecoveredPart {
  readonly now: number
  readonly dedupingNetworks: readonly string[]
  /** The numbers of the instances whose messages are taken up; those of all without it. */
  readonly instances?: readonly number[]
  readonly after: UnsettledPlace
  /** Unsettled messages to look at. */
  readonly limit: number
}

interface RecoverArgs extends RecoveredPart {
  /** The organizations of these instances. Only they wait for it, if they are named. */
  readonly organizations?: readonly string[]
}

export interface Recovered {
  /** Attempts that were taken up. */
  readonly interrupted: number
  /** Null if all were looked at. */
  readonly next: UnsettledPlace | null
}

/** As `recoverMessages`, in a transaction that does more. */
export async function recoverPart(tx: Transaction, args: RecoveredPart): Promise<Recovered> {
  const { after, limit, instances } = args
  const { messages, next } = await unsettledAfter(tx, after, limit, instances)
  const interrupted = messages.filter(({ underway }) => underway === 1)
  if (interrupted.length > 0) await takeUp(tx, interrupted, args)
  return { interrupted: interrupted.length, next }
}

/**
 * Takes up, before a node runs instances, the attempts that were under way when the last one that ran them ended: their outcome is
 * uncertain. A message is settled if a receipt proves that it arrived. The others are repeated if the network recognizes
 * repetitions by their id; otherwise they become `unknown`. Done in parts: the next node finds what one left because it
 * ended as well.
 */
export const recoverMessages = transaction(
  'messages.recover',
  (tx, args: RecoverArgs): Promise<Recovered> => recoverPart(tx, args),
  { touches: ({ organizations }) => organizations ?? 'all' },
)

interface Interrupted {
  readonly seq: number
  readonly instance: number
  readonly attempts: number
  readonly last_attempt_at: number | null
}

async function takeUp(
  tx: Transaction,
  interrupted: readonly Interrupted[],
  { now, dedupingNetworks }: RecoveredPart,
): Promise<void> {
  keepAttempts(
    tx,
    interrupted.map(({ seq, attempts: number, last_attempt_at: started_at }) => ({
      ...{ message_seq: seq, number, started_at, ended_at: now },
      ...{ outcome: 'uncertain', error: null, next_attempt_at: null },
    })),
  )
  const numbers = [...new Set(interrupted.map(({ instance }) => instance))]
  const own = tx.sql
    .selectFrom('message_instances')
    .innerJoin('instances', 'instances.id', 'instance_id')
    .select(['number', 'network'])
    .where('number', 'in', numbers)
  const instances = await tx.all(own)
  const deduping = new Set(dedupingNetworks)
  const repeating = new Set(
    instances.filter(({ network }) => deduping.has(network)).map(({ number }) => number),
  )
  const proven = await settleProven(tx, interrupted, now)
  await leaveQueue(tx, await writeSettled(tx, proven, now), now)
  const isProven = new Set(proven.map(({ removed }) => removed.seq))
  const open = interrupted.filter(({ seq }) => !isProven.has(seq))
  const [repeated, unknown] = [true, false].map((repeats) =>
    open.filter(({ instance }) => repeating.has(instance) === repeats),
  ) as [typeof open, typeof open]
  const waiting = await tx.allForEach(repeat, repeated)
  const leaders = waiting.filter(({ held, leads_lane }) => held === 0 && leads_lane === 1)
  await enqueue(
    tx,
    leaders.map(({ seq, instance }) => ({ instance, seq })),
  )
  await settleWithoutAttempt(tx, unknown, 'unanswered', now)
}
