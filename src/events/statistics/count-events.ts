import type { RowOf } from '../../store/schema.ts'
import { batchStatement, statement } from '../../store/statement.ts'
import type { Transaction } from '../../store/store.ts'
import type { Span } from '../../store/tables/statistics.ts'
import { addTo, countsOf, type EventCounts, needsMessage, queueChangeOf, sumOf } from './counts.ts'
import { startOf } from './interval.ts'
import { CountedQueues } from './queue-depths.ts'

const selectMarks = statement<{ organization: string }>()((sql, argument) =>
  sql
    .selectFrom('organizations')
    .select(['last_event', 'last_counted'])
    .where('id', '=', argument('organization')),
)

interface Stretch {
  readonly organization: string
  readonly after: number
  readonly until: number
  readonly limit: number
}

const selectEvents = statement<Stretch>()((sql, argument) =>
  sql
    .selectFrom('events')
    .select(['sequence', 'type', 'instance_name', 'created_at', 'message_seq', 'data'])
    .where('organization_id', '=', argument('organization'))
    .where('sequence', '>', argument('after'))
    .where('sequence', '<=', argument('until'))
    .orderBy('sequence')
    .limit(argument('limit')),
)

const selectMessages = batchStatement({ seq: 'bigint' })((sql, given) =>
  sql
    .selectFrom('messages')
    .select(['seq', 'sent_elsewhere', 'created_at', 'send_at'])
    .where('seq', '=', given('seq')),
)

const moveOn = statement<{ organization: string; through: number }>()((sql, argument) =>
  sql
    .updateTable('organizations')
    .set({ last_counted: argument('through') })
    .where('id', '=', argument('organization')),
)

/** The key of the counts of an instance in an hour or a day. */
interface CountsName {
  readonly organization: string
  readonly span: Span
  /** Empty for all instances together. */
  readonly instance: string
  readonly startsAt: number
}

const naming = { organization: 'text', span: 'text', instance: 'text', startsAt: 'bigint' } as const

const selectCounts = batchStatement<CountsName>(naming)((sql, given) =>
  sql
    .selectFrom('statistics')
    .select([
      'span',
      'instance_name as instance',
      'starts_at as startsAt',
      'instances',
      'counts',
      'queue_before',
    ])
    .where('organization_id', '=', given('organization'))
    .where('span', '=', given('span'))
    .where('instance_name', '=', given('instance'))
    .where('starts_at', '=', given('startsAt')),
)

interface Written extends CountsName {
  readonly instances: number
  readonly counts: string
  readonly before: number
  readonly after: number
}

const writeCounts = batchStatement<Written>({
  ...naming,
  ...{ instances: 'integer', before: 'bigint', after: 'bigint' },
  counts: 'text',
})((sql, given) =>
  sql
    .insertInto('statistics')
    .values({
      organization_id: given('organization'),
      span: given('span'),
      instance_name: given('instance'),
      starts_at: given('startsAt'),
      instances: given('instances'),
      counts: given('counts'),
      queue_before: given('before'),
      queue_after: given('after'),
    })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'span', 'instance_name', 'starts_at']).doUpdateSet((eb) => ({
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
  /** The most instances that have counts of their own in an hour or a day. What others do is in the counts of all only. */
  readonly instancesAtMost?: number
}

export interface Counted {
  /** The number of the last event that is counted. */
  readonly through: number
  readonly more: boolean
}

/**
 * Counts the events that were appended since the last call, and records how far it came. Both happen in one transaction, so a
 * crash neither leaves an event out nor counts one twice.
 */
export async function countEvents(
  tx: Transaction,
  { organization, limit, until = Number.MAX_SAFE_INTEGER, instancesAtMost = 10_000 }: CountArgs,
): Promise<Counted> {
  const marks = await tx.first(selectMarks, { organization })
  const { last_event: last, last_counted: after } = marks ?? { last_event: 0, last_counted: 0 }
  const end = Math.min(last, until)
  if (after >= end) return { through: after, more: false }
  const events = await tx.all(selectEvents, { organization, after, until: end, limit })
  await addCounts(tx, organization, await tally(tx, organization, events), instancesAtMost)
  const through = events.length < limit ? end : (events.at(-1)?.sequence ?? end)
  await tx.run(moveOn, { organization, through })
  return { through, more: through < last }
}

type EventRow = Pick<
  RowOf<'events'>,
  'sequence' | 'type' | 'instance_name' | 'created_at' | 'message_seq' | 'data'
>

interface Tally extends CountsName {
  readonly counts: EventCounts
  /** The change in the number of messages in the queue. */
  queueChange: number
}

const keyOf = ({ span, startsAt, instance }: Omit<CountsName, 'organization'>) =>
  `${span} ${startsAt} ${instance}`

/**
 * Returns the numbers that these events add, for each hour and each day, to the counts of their instances and to those of
 * all.
 */
async function tally(tx: Transaction, organization: string, events: readonly EventRow[]): Promise<Tally[]> {
  const asked = events.filter(needsMessage)
  const seqs = new Set(asked.flatMap(({ message_seq }) => message_seq ?? []))
  const rows = await tx.allForEach(
    selectMessages,
    [...seqs].map((seq) => ({ seq })),
  )
  const messages = new Map(rows.map((row) => [row.seq, row]))
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
    const counts = countsOf(event, messages.get(event.message_seq ?? 0))
    const startsAt = startOf('hour', event.created_at)
    const name = { organization, span: 'hour', instance: event.instance_name ?? '', startsAt } as const
    if (counts) add(name, counts, queueChangeOf(event))
  }
  // Copies, because those without an instance grow meanwhile.
  const hours = [...tallies.values()].map((tally) => ({ ...tally, counts: sumOf({}, tally.counts) }))
  for (const { counts, queueChange, ...hour } of hours) {
    const day = { ...hour, span: 'day', startsAt: startOf('day', hour.startsAt) } as const
    add(day, counts, queueChange)
    if (hour.instance === '') continue
    add({ ...hour, instance: '' }, counts, queueChange)
    add({ ...day, instance: '' }, counts, queueChange)
  }
  return [...tallies.values()]
}

/** Adds to the counts that are stored. A new instance gets none of its own in an hour or a day that has too many of them. */
async function addCounts(
  tx: Transaction,
  organization: string,
  tallies: readonly Tally[],
  instancesAtMost: number,
): Promise<void> {
  const queues = await CountedQueues.of(tx, organization, new Set(tallies.map(({ instance }) => instance)))
  const moved = tallies
    .toSorted((a, b) => a.startsAt - b.startsAt)
    .map(({ queueChange, ...tally }) => ({
      ...tally,
      queue: queues.move(tally.span, tally.instance, queueChange),
    }))
  await queues.keep(tx)
  const names = moved.map(({ counts: _, queue: __, ...name }) => name)
  const stored = new Map((await tx.allForEach(selectCounts, names)).map((row) => [keyOf(row), row]))
  const instances = new Map<string, number>()
  const ofAll = (name: CountsName) => keyOf({ ...name, instance: '' })
  const hasRoom = (name: CountsName) => {
    if (name.instance === '' || stored.has(keyOf(name))) return true
    const count = instances.get(ofAll(name)) ?? stored.get(ofAll(name))?.instances ?? 0
    if (count < instancesAtMost) instances.set(ofAll(name), count + 1)
    return count < instancesAtMost
  }
  const rows = moved.filter(hasRoom).map(({ counts, queue, ...name }) => {
    const before = stored.get(keyOf(name))
    return {
      ...name,
      stored: before,
      before: before?.queue_before ?? queue.before,
      after: queue.after,
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
