import { type RowOf, tables } from '../store/schema.ts'
import { batchStatement, type Sql, valuesOf } from '../store/statement.ts'
import type { Transaction } from '../store/store.ts'
import { typesOf } from '../store/tables/columns.ts'
import { type NewEvent, stretchesOf } from './stretches/new-stretches.ts'
import type { StretchOfNames } from './stretches/stretch.ts'

/** The events that an organization appends: how many, when, and the changes that go with them, so that one update of its row writes all. */
export interface Taking {
  readonly organization: string
  readonly count: number
  readonly now: number
  /** The change in the number of unsettled messages. */
  readonly unsettled: number
  /** The change in the number of stored bytes. */
  readonly stored: number
}

const takeNumbers = batchStatement<Taking>({
  organization: 'text',
  count: 'bigint',
  now: 'bigint',
  unsettled: 'bigint',
  stored: 'bigint',
})((sql, given) =>
  sql
    .updateTable('organizations')
    .set((eb) => ({
      last_event: eb('last_event', '+', given('count')),
      unsettled_messages: eb('unsettled_messages', '+', given('unsettled')),
      stored_bytes: eb('stored_bytes', '+', given('stored')),
      last_event_at: eb
        .case()
        .when('last_event_at', '<', given('now'))
        .then(given('now'))
        .else(eb.ref('last_event_at'))
        .end(),
    }))
    .where('id', '=', given('organization'))
    .returning(['id', 'last_event', 'last_event_at', 'epoch']),
)

const insertedColumns = [
  'organization_id',
  'sequence',
  'count',
  'epoch',
  'type',
  'instance_name',
  'created_at',
  'message_seqs',
  'data',
] as const

interface StretchToInsert extends Pick<RowOf<'events'>, (typeof insertedColumns)[number]> {
  /** The instance whose labels it has. */
  readonly about: string | null
}

const insertStretches = batchStatement<StretchToInsert>({
  ...typesOf(tables.events, insertedColumns),
  about: 'text',
})((sql, given) =>
  sql.insertInto('events').values({
    ...valuesOf(given, insertedColumns),
    labels_id: sql.selectFrom('instances').select('labels_id').where('id', '=', given('about')),
  }),
)

/**
 * The time of an event that an organization appends now. If the clock was set back, events get the time of the last event until
 * the clock has caught up.
 */
export function timeOfEvent(sql: Pick<Sql, 'selectFrom'>, now: number) {
  return sql
    .selectFrom('organizations')
    .select(({ eb }) =>
      eb.case().when('last_event_at', '>', now).then(eb.ref('last_event_at')).else(now).end().as('time'),
    )
}

/** The events of one organization to append. */
export interface Happened
  extends Pick<Taking, 'organization' | 'now'>,
    Partial<Pick<Taking, 'unsettled' | 'stored'>> {
  readonly events: readonly NewEvent[]
}

/** The number of the last event that an organization takes, and what all of them share. */
type Taken = Pick<RowOf<'organizations'>, 'last_event' | 'last_event_at' | 'epoch'>

/**
 * Takes numbers for the events of organizations, each named once, and returns them by the ids of these. Numbers have no gaps, because
 * the row of the organization is locked until the transaction is over, and they go back with it.
 */
export async function takeEventNumbers(
  tx: Transaction,
  taking: readonly Taking[],
): Promise<ReadonlyMap<string, Taken>> {
  return new Map((await tx.allForEach(takeNumbers, taking)).map((row) => [row.id, row]))
}

/**
 * Appends events to the journals of organizations, in the transaction that makes them true, so both are stored or neither.
 * Times never decrease: if the clock was set back, events get the time of the last event until the clock has caught up. They are
 * numbered in the order of `stretchesOf`. Returns the stretches that hold them. `happened` names each organization once.
 */
export async function appendEvents(
  tx: Transaction,
  happened: readonly Happened[],
): Promise<StretchOfNames[]> {
  const some = happened.filter(({ events }) => events.length > 0)
  const taking = some.map(({ events, unsettled = 0, stored = 0, ...own }) => ({
    ...own,
    count: events.length,
    unsettled,
    stored,
  }))
  return appendNumbered(tx, some, await takeEventNumbers(tx, taking))
}

/** The same for events that have numbers already. */
export function appendNumbered(
  tx: Transaction,
  happened: readonly Pick<Happened, 'organization' | 'events'>[],
  taken: ReadonlyMap<string, Taken>,
): StretchOfNames[] {
  const rows = happened.flatMap(({ organization, events }) => {
    const numbers = taken.get(organization)
    if (!numbers) throw new Error('an event belongs to no organization')
    const { last_event, last_event_at: created_at, epoch } = numbers
    let sequence = last_event - events.length
    return stretchesOf(events).map(({ events: [first, ...others], message_seqs, data }) => {
      const count = 1 + others.length
      sequence += count
      return {
        ...{ organization_id: organization, sequence, count, epoch, created_at, message_seqs, data },
        ...{ type: first.type, instance_name: first.instance, about: first.message?.instance ?? null },
      }
    })
  })
  tx.sendForEach(insertStretches, rows)
  for (const { organization } of happened) tx.announce(organization)
  return rows
}
