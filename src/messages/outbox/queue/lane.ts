import type { Argument, Sql } from '../../../store/statement.ts'
import { batchStatement, statement } from '../../../store/statement.ts'
import type { Transaction } from '../../../store/store.ts'

/*
 * Lanes and queues. The messages in the outbox of one instance to one recipient form a lane. One of them leads it: it is sent
 * next, or is being sent; the others wait, in the order of acceptance. Those leaders that may be sent at once form the queue
 * of their instance. A position there is a number, and no time, so that a clock that is set back holds up no message.
 *
 * A message that is scheduled for later joins its lane when its time comes (`joins_lane_at`). So nothing here takes longer
 * because many messages are scheduled, or wait.
 */

export interface Lane {
  /** The number of the instance. */
  readonly instance: number
  readonly recipient: string
}

const selectLast = batchStatement({ instance: 'bigint' })((sql, given) =>
  sql
    .selectFrom('outbox')
    .select(['instance', 'queue_position'])
    .where('instance', '=', given('instance'))
    .where('queue_position', 'is not', null)
    .orderBy('queue_position', 'desc')
    .limit(1),
)

/** Hands out positions at the end of the queues of these instances. */
export async function positionsIn(
  tx: Transaction,
  instances: Iterable<number>,
): Promise<(instance: number) => number> {
  const rows = await tx.allForEach(
    selectLast,
    [...new Set(instances)].map((instance) => ({ instance })),
  )
  const last = new Map(rows.map((row) => [row.instance, row.queue_position ?? 0]))
  return counting(last)
}

/** Counts positions on from the last one of each queue. */
export function counting(last: Map<number, number>): (instance: number) => number {
  return (instance) => {
    const position = (last.get(instance) ?? 0) + 1
    last.set(instance, position)
    return position
  }
}

const takePosition = batchStatement({ seq: 'bigint', position: 'bigint' })((sql, given) =>
  sql
    .updateTable('outbox')
    .set({ queue_position: given('position'), due_at: null })
    .where('seq', '=', given('seq')),
)

/** Puts leaders of lanes at the end of the queues of their instances. */
export async function enqueue(
  tx: Transaction,
  leaders: readonly { readonly instance: number; readonly seq: number }[],
): Promise<void> {
  if (leaders.length === 0) return
  const next = await positionsIn(
    tx,
    leaders.map(({ instance }) => instance),
  )
  const rows = leaders.map(({ instance, seq }) => ({ seq, position: next(instance) }))
  tx.sendForEach(takePosition, rows)
}

/** The first message of a lane. */
function firstInLane(sql: Sql, argument: Argument<Lane>) {
  return sql
    .selectFrom('outbox')
    .select(['seq', 'instance', 'recipient', 'awaits_file', 'held', 'underway'])
    .where('instance', '=', argument('instance'))
    .where('recipient', '=', argument('recipient'))
    .where('joins_lane_at', '=', 0)
    .orderBy('seq')
    .limit(1)
}

const selectFirsts = batchStatement<Lane>({ instance: 'bigint', recipient: 'text' })(firstInLane)

const giveLead = batchStatement({ seq: 'bigint' })((sql, given) =>
  sql.updateTable('outbox').set({ leads_lane: 1 }).where('seq', '=', given('seq')),
)

const waitUntil = batchStatement({ seq: 'bigint', at: 'bigint' })((sql, given) =>
  sql
    .updateTable('outbox')
    .set({ due_at: given('at') })
    .where('seq', '=', given('seq')),
)

/**
 * Lets the first message of each lane lead it. Only for lanes without a leader, because it was settled. `retries` has the
 * messages that wait for a later time to be tried again.
 */
export async function promoteNext(
  tx: Transaction,
  lanes: readonly Lane[],
  retries: ReadonlyMap<number, number> = new Map(),
): Promise<void> {
  const firsts = await tx.allForEach(selectFirsts, lanes)
  // One whose file is not there yet, that is held, or whose attempt has not ended leads too, but is not queued yet.
  const ready = firsts.filter((row) => row.awaits_file === 0 && row.held === 0 && row.underway === 0)
  const waiting = ready.flatMap(({ seq }) => {
    const at = retries.get(seq)
    return at === undefined ? [] : [{ seq, at }]
  })
  const now = ready.filter(({ seq }) => !retries.has(seq))
  tx.sendForEach(giveLead, firsts)
  tx.sendForEach(waitUntil, waiting)
  await enqueue(
    tx,
    now.map(({ seq, instance }) => ({ instance, seq })),
  )
}

/** Written as a range of the index of what is unsettled: PostgreSQL might sort everything that waits instead. */
const selectJoining = statement<Lane & { now: number; limit: number }>()((sql, argument) => {
  const end = Number.MAX_SAFE_INTEGER
  return sql
    .selectFrom('outbox')
    .select('seq')
    .where((eb) => {
      const place = eb.refTuple('instance', 'recipient', 'joins_lane_at', 'seq')
      const [instance, recipient] = [argument('instance'), argument('recipient')]
      return eb.and([
        eb(place, '>', eb.tuple(instance, recipient, 0, end)),
        eb(place, '<=', eb.tuple(instance, recipient, argument('now'), end)),
      ])
    })
    .orderBy('instance')
    .orderBy('recipient')
    .orderBy('joins_lane_at')
    .orderBy('seq')
    .limit(argument('limit'))
})

const joinLane = batchStatement({ seq: 'bigint' })((sql, given) =>
  sql.updateTable('outbox').set({ joins_lane_at: 0, due_at: null }).where('seq', '=', given('seq')),
)

/**
 * Takes into a lane what was scheduled for it and whose time has come, the earliest first and at most `limit`; returns how many
 * messages that were.
 */
export async function gatherLane(
  tx: Transaction,
  lane: Lane & { now: number },
  limit: number,
): Promise<number> {
  const joining = await tx.all(selectJoining, { ...lane, limit })
  await join(tx, [lane], joining)
  return joining.length
}

/** Lets scheduled messages join their lanes, which get leaders if they had none. */
async function join(
  tx: Transaction,
  lanes: readonly Lane[],
  joining: readonly { readonly seq: number }[],
): Promise<void> {
  if (joining.length === 0) return
  const led = new Set((await tx.allForEach(selectFirsts, lanes)).map(laneOf))
  tx.sendForEach(
    joinLane,
    joining.map(({ seq }) => ({ seq })),
  )
  const unled = lanes.filter((lane) => !led.has(laneOf(lane)))
  await promoteNext(tx, unled)
}

/** Names a lane. */
export const laneOf = ({ instance, recipient }: Lane) => `${instance} ${recipient}`

/**
 * Due messages that claims of one moment look at together, and the most instances whose they are, so that a transaction is never long; the
 * next looks at more.
 */
const dueAtOnce = 200
const maxInstancesDue = 8

const selectDue = statement<{ instance: number; now: number; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('outbox')
    .select(['seq', 'instance', 'recipient', 'joins_lane_at', 'target_seq'])
    .where('instance', '=', argument('instance'))
    .where('due_at', '<=', argument('now'))
    .orderBy('due_at')
    .orderBy('seq')
    .limit(argument('limit')),
)

const selectNextDue = batchStatement({ instance: 'bigint' })((sql, given) =>
  sql
    .selectFrom('outbox')
    .select(['instance', 'due_at'])
    .where('instance', '=', given('instance'))
    .where('due_at', 'is not', null)
    .orderBy('due_at')
    .limit(1),
)

interface Due {
  /** The next time that a message of each instance waits for. */
  readonly nextDue: ReadonlyMap<number, number>
  /** True if the time of any had come. */
  readonly enqueued: boolean
}

/** A message outside its lane whose time has come. */
export interface Joining extends Lane {
  readonly seq: number
  /** The number of the message that it follows; null for none. */
  readonly target_seq: number | null
}

/** Returns those of messages outside their lanes that join them now, and has the others wait longer. */
export type ChooseJoining = <Row extends Joining>(
  tx: Transaction,
  joining: readonly Row[],
  now: number,
) => Promise<readonly Row[]>

/** The messages of these instances whose time has come join their lanes, or are queued to be tried again. */
export async function enqueueDue(
  tx: Transaction,
  instances: readonly number[],
  now: number,
  choose: ChooseJoining,
): Promise<Due> {
  const nextOf = async (some: readonly number[]) => {
    const rows = await tx.allForEach(
      selectNextDue,
      some.map((instance) => ({ instance })),
    )
    return rows.map((row) => [row.instance, row.due_at ?? 0] as const)
  }
  const next = new Map(await nextOf(instances))
  const waitsFor = (instance: number) => next.get(instance) ?? Number.POSITIVE_INFINITY
  const due = instances
    .filter((instance) => waitsFor(instance) <= now)
    .sort((a, b) => waitsFor(a) - waitsFor(b))
    .slice(0, maxInstancesDue)
  if (due.length === 0) return { nextDue: next, enqueued: false }
  const limit = Math.ceil(dueAtOnce / due.length)
  for (const instance of due) {
    next.delete(instance)
    await enqueueDueOf(tx, { instance, now, limit }, choose)
  }
  return { nextDue: new Map([...next, ...(await nextOf(due))]), enqueued: true }
}

async function enqueueDueOf(
  tx: Transaction,
  wanted: { readonly instance: number; readonly now: number; readonly limit: number },
  choose: ChooseJoining,
): Promise<void> {
  const { instance } = wanted
  const due = await tx.all(selectDue, wanted)
  const outside = due.filter((row) => row.joins_lane_at > 0)
  const joining = await choose(tx, outside, wanted.now)
  const recipients = new Set(joining.map(({ recipient }) => recipient))
  await join(
    tx,
    [...recipients].map((recipient) => ({ instance, recipient })),
    joining,
  )
  const retrying = due.filter(({ joins_lane_at }) => joins_lane_at === 0)
  await enqueue(
    tx,
    retrying.map(({ seq }) => ({ instance, seq })),
  )
}
