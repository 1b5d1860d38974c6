import type { RowOf } from '../../store/schema.ts'
import { batchOf, batchStatement, statement } from '../../store/statement.ts'
import type { Transaction } from '../../store/store.ts'
import type { Span } from '../../store/tables/statistics.ts'
import { nextEvents } from '../stretches/read-events.ts'
import type { StoredEvent } from '../stretches/stretch.ts'
import {
  addTo,
  countsOf,
  type EventCounts,
  eventToCount,
  needsMessage,
  queueChangeOf,
  sumOf,
} from './counts.ts'
import { startOf, startOfStored, storedStart } from './interval.ts'
import { type NetworkSteps, networksByNumber, StepsOfNetworks } from './network-steps.ts'
import { CountedQueues } from './queue-depths.ts'

const selectMarks = statement<{ organization: string }>()((sql, argument) =>
  sql
    .selectFrom('organizations')
    .select(['last_event', 'last_counted'])
    .where('id', '=', argument('organization')),
)

const selectMessages = batchStatement({ seq: 'bigint' })((sql, given) =>
  sql
    .selectFrom('messages')
    .select(['seq', 'instance', 'sent_elsewhere', 'created_at', 'send_at'])
    .where('seq', '=', given('seq')),
)

const moveOn = statement<{ organization: string; through: number }>()((sql, argument) =>
  sql
    .updateTable('organizations')
    .set({ last_counted: argument('through') })
    .where('id', '=', argument('organization')),
)

const naming = ['organization_id', 'span', 'instance_name', 'starts_at'] as const

/** The key of the counts of an instance in an interval. */
type CountsName = Readonly<Pick<RowOf<'statistics'>, (typeof naming)[number]>>

const selectCounts = batchOf(
  'statistics',
  naming,
)((sql, row) =>
  sql
    .selectFrom('statistics')
    .select(['span', 'instance_name', 'starts_at', 'instances', 'counts', 'queue_before'])
    .where('organization_id', '=', row.organization_id)
    .where('span', '=', row.span)
    .where('instance_name', '=', row.instance_name)
    .where('starts_at', '=', row.starts_at),
)

const writeCounts = batchOf('statistics', [...naming, 'instances', 'counts', 'queue_before', 'queue_after'])(
  (sql, row) =>
    sql
      .insertInto('statistics')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(naming).doUpdateSet((eb) => ({
          instances: eb.ref('excluded.instances'),
          counts: eb.ref('excluded.counts'),
          queue_after: eb.ref('excluded.queue_after'),
        })),
      ),
)

export interface CountArgs {
  readonly organization: string
  /** The most events that are read. */
  readonly limit: number
  /** The last event to count; all by default. */
  readonly until?: number
  /**
   * The most instances that have counts of their own in an hour or a day, and in a minute. What others do is in the counts of
   * all only.
   */
  readonly instancesAtMost?: number
  readonly instancesAMinute?: number
}

export interface Counted {
  /** The number of the last event that is counted. */
  readonly through: number
  readonly more: boolean
  /** The steps of messages among the events that were counted. */
  readonly steps: readonly NetworkSteps[]
}

/**
 * Counts the events that were appended since the last call, and records how far it came. Both happen in one transaction, so a
 * crash neither leaves an event out nor counts one twice.
 */
export async function countEvents(tx: Transaction, args: CountArgs): Promise<Counted> {
  const { organization, limit, until = Number.MAX_SAFE_INTEGER } = args
  const marks = await tx.first(selectMarks, { organization })
  const { last_event: last, last_counted: after } = marks ?? { last_event: 0, last_counted: 0 }
  const end = Math.min(last, until)
  if (after >= end) return { through: after, more: false, steps: [] }
  const events = await nextEvents(tx, { organization, after, until: end, limit })
  const steps = new StepsOfNetworks()
  const messages = await messagesOf(tx, events)
  const networks = await networksOfFailed(tx, events, messages)
  const tallies = tally(organization, events, { messages, networks }, steps)
  await addCounts(tx, organization, tallies, roomOf(args))
  const through = events.length < limit ? end : (events.at(-1)?.sequence ?? end)
  await tx.run(moveOn, { organization, through })
  return { through, more: through < last, steps: await steps.end(tx) }
}

/** The most instances with counts of their own in an interval. */
const roomOf = ({ instancesAtMost = 10_000, instancesAMinute = 1_000 }: CountArgs) => ({
  minute: instancesAMinute,
  hour: instancesAtMost,
  day: instancesAtMost,
})

/** Returns the messages that counting these events takes, by their numbers. */
async function messagesOf(tx: Transaction, events: readonly StoredEvent[]) {
  const asked = events.filter(needsMessage)
  const seqs = new Set(asked.flatMap(({ message_seq }) => message_seq ?? []))
  const rows = await tx.allForEach(
    selectMessages,
    [...seqs].map((seq) => ({ seq })),
  )
  return new Map(rows.map((row) => [row.seq, row]))
}

/** Returns the networks of the messages that failed, by the numbers of their instances. */
function networksOfFailed(
  tx: Transaction,
  events: readonly StoredEvent[],
  messages: Known['messages'],
): Promise<Known['networks']> {
  const failed = events.filter(({ type }) => type === 'message.failed')
  return networksByNumber(
    tx,
    new Set(failed.flatMap((event) => messages.get(event.message_seq ?? 0)?.instance ?? [])),
  )
}

/** The rows that counting takes beside the events. */
interface Known {
  readonly messages: Awaited<ReturnType<typeof messagesOf>>
  readonly networks: ReadonlyMap<number, string>
}

interface Tally extends CountsName {
  readonly counts: EventCounts
  /** The change in the number of messages in the queue. */
  queueChange: number
}

const keyOf = ({ span, starts_at, instance_name }: Omit<CountsName, 'organization_id'>) =>
  `${span} ${starts_at} ${instance_name}`

/**
 * Returns the numbers that these events add, for each minute, hour and day, to the counts of their instances and to those of
 * all; adds their steps to those of their networks.
 */
function tally(
  organization: string,
  events: readonly StoredEvent[],
  { messages, networks }: Known,
  steps: StepsOfNetworks,
): Tally[] {
  const tallies = new Map<string, Tally>()
  const add = (name: CountsName, counts: EventCounts, queueChange: number) => {
    const key = keyOf(name)
    const known = tallies.get(key)
    if (!known) tallies.set(key, { ...name, counts: sumOf({}, counts), queueChange })
    else {
      addTo(known.counts, counts)
      known.queueChange += queueChange
    }
  }
  for (const event of events) {
    const message = messages.get(event.message_seq ?? 0)
    const parsed = eventToCount(event)
    const counts = countsOf(parsed, message, networks.get(message?.instance ?? -1))
    const starts_at = storedStart('minute', startOf('minute', event.created_at))
    const instance_name = event.instance_name ?? ''
    const name = { organization_id: organization, span: 'minute', instance_name, starts_at } as const
    if (!counts) continue
    add(name, counts, queueChangeOf(parsed))
    if (message) steps.add(parsed, message)
  }
  // Copies, because those without an instance grow meanwhile.
  const minutes = [...tallies.values()].map((tally) => ({ ...tally, counts: sumOf({}, tally.counts) }))
  for (const { counts, queueChange, ...minute } of minutes) {
    const at = startOfStored('minute', minute.starts_at)
    const spans = (['hour', 'day'] as const).map((span) => ({
      ...minute,
      span,
      starts_at: startOf(span, at),
    }))
    for (const name of spans) add(name, counts, queueChange)
    if (minute.instance_name === '') continue
    for (const name of [minute, ...spans]) add({ ...name, instance_name: '' }, counts, queueChange)
  }
  return [...tallies.values()]
}

/** Adds to the counts that are stored. A new instance gets none of its own in an interval that has too many of them. */
async function addCounts(
  tx: Transaction,
  organization: string,
  tallies: readonly Tally[],
  room: Readonly<Record<Span, number>>,
): Promise<void> {
  const queues = await CountedQueues.of(
    tx,
    organization,
    new Set(tallies.map(({ instance_name: name }) => name)),
  )
  const moved = tallies
    .toSorted((a, b) => a.starts_at - b.starts_at)
    .map(({ queueChange, ...tally }) => ({
      ...tally,
      queue: queues.move(tally.span, tally.instance_name, queueChange),
    }))
  await queues.keep(tx)
  const names = moved.map(({ counts: _, queue: __, ...name }) => name)
  const stored = new Map((await tx.allForEach(selectCounts, names)).map((row) => [keyOf(row), row]))
  const instances = new Map<string, number>()
  const ofAll = (name: CountsName) => keyOf({ ...name, instance_name: '' })
  const hasRoom = (name: CountsName) => {
    if (name.instance_name === '' || stored.has(keyOf(name))) return true
    const count = instances.get(ofAll(name)) ?? stored.get(ofAll(name))?.instances ?? 0
    if (count >= room[name.span]) return false
    instances.set(ofAll(name), count + 1)
    return true
  }
  const rows = moved.filter(hasRoom).map(({ counts, queue, ...name }) => {
    const before = stored.get(keyOf(name))
    return {
      ...name,
      stored: before,
      queue_before: before?.queue_before ?? queue.before,
      queue_after: queue.after,
      counts: JSON.stringify(before ? sumOf(JSON.parse(before.counts), counts) : counts),
    }
  })
  await tx.runForEach(
    writeCounts,
    rows.map(({ stored: before, ...row }) => ({
      ...row,
      instances: instances.get(keyOf(row)) ?? before?.instances ?? 0,
    })),
  )
}
