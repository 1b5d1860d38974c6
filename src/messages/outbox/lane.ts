import { type Argument, type Sql, statement, unsettled } from '../../store/statement.ts'
import type { Transaction } from '../../store/store.ts'

/*
 * Lanes and queues. The unsettled messages of one instance to one recipient form a lane. One of them leads it: it is sent next, or
 * is being sent; the others wait, in the order of acceptance. Those leaders that may be sent at once form the queue of their
 * instance. A position there is a number, and no time, so that a clock that is set back holds up nobody.
 *
 * A message that is scheduled for later joins its lane when its time comes (`joins_lane_at`). So nothing here takes longer for how
 * many messages are scheduled, or wait.
 */

export interface Lane {
  readonly instance: string
  readonly recipient: string
}

/** The position behind everybody in the queue of an instance. */
export function endOfQueue(sql: Sql, instance: string) {
  return sql
    .selectFrom('messages')
    .select(({ eb, fn, lit }) =>
      eb(fn.coalesce(fn.max('queue_position'), lit(0)), '+', lit(1)).as('position'),
    )
    .where('instance_id', '=', instance)
    .where('queue_position', 'is not', null)
}

const takePosition = statement<{ instance: string; seq: number }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set({ queue_position: endOfQueue(sql, argument('instance')), due_at: null })
    .where('seq', '=', argument('seq')),
)

/** Puts the leader of a lane in the queue of its instance, behind all others. */
export async function enqueue(tx: Transaction, place: { instance: string; seq: number }): Promise<void> {
  await tx.run(takePosition, place)
}

/** The first message of a lane. */
function firstInLane(sql: Sql, argument: Argument<Lane>) {
  return sql
    .selectFrom('messages')
    .select('seq')
    .where('instance_id', '=', argument('instance'))
    .where('recipient', '=', argument('recipient'))
    .where(unsettled)
    .where('joins_lane_at', '=', 0)
    .orderBy('seq')
    .limit(1)
}

const selectFirst = statement<Lane>()(firstInLane)

const giveLead = statement<Lane>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set((eb) => ({
      leads_lane: 1,
      // One whose file is not there yet, or that is held, leads too, but is not queued yet.
      queue_position: eb
        .case()
        .when(eb.and([eb('awaits_file', '=', 0), eb('held', '=', 0)]))
        .then(endOfQueue(sql, argument('instance')))
        .end(),
    }))
    .where('seq', '=', firstInLane(sql, argument)),
)

/** Lets the first message of a lane lead it. Only for a lane that nobody leads: the message that did was settled. */
export async function passLead(tx: Transaction, lane: Lane): Promise<void> {
  await tx.run(giveLead, lane)
}

const joinLane = statement<Lane & { now: number }>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set({ joins_lane_at: 0, due_at: null })
    .where('instance_id', '=', argument('instance'))
    .where('recipient', '=', argument('recipient'))
    .where(unsettled)
    .where('joins_lane_at', '>', 0)
    .where('joins_lane_at', '<=', argument('now')),
)

/** Takes into a lane everything that was scheduled for it and whose time has come. */
export async function gatherLane(tx: Transaction, lane: Lane & { now: number }): Promise<void> {
  const present = await tx.first(selectFirst, lane)
  await tx.run(joinLane, lane)
  if (!present) await passLead(tx, lane)
}

/** How many messages whose time has come one claim looks at, so that it is never long; the next looks at more. */
const dueAtOnce = 200

const selectDue = statement<{ instance: string; now: number }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select(['seq', 'recipient', 'joins_lane_at'])
    .where('instance_id', '=', argument('instance'))
    .where('due_at', '<=', argument('now'))
    .orderBy('due_at')
    .orderBy('seq')
    .limit(dueAtOnce),
)

/** The messages of an instance whose time has come join their lanes, or are queued to be tried again. */
export async function enqueueDue(
  tx: Transaction,
  { instance, now }: { instance: string; now: number },
): Promise<void> {
  const gathered = new Set<string>()
  for (const { seq, recipient, joins_lane_at } of await tx.all(selectDue, { instance, now })) {
    if (joins_lane_at === 0) await enqueue(tx, { instance, seq })
    else if (!gathered.has(recipient)) {
      gathered.add(recipient)
      await gatherLane(tx, { instance, recipient, now })
    }
  }
}

const selectNextDue = statement<{ instance: string }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select('due_at')
    .where('instance_id', '=', argument('instance'))
    .where('due_at', 'is not', null)
    .orderBy('due_at')
    .limit(1),
)

/** The next time for which a message of an instance waits. */
export async function nextDue(tx: Transaction, instance: string): Promise<number | null> {
  return (await tx.first(selectNextDue, { instance }))?.due_at ?? null
}
