import type { EventType } from '../contract/resources/event.ts'
import { forEach, type Sql } from '../store/statement.ts'
import type { Transaction } from '../store/store.ts'
import type { EventName } from './event.ts'

/** An event to append. */
export interface NewEvent {
  readonly type: EventType
  /** The name of the instance that it is about; null if it is about none. */
  readonly instance: string | null
  /** The data that the contract defines for this type; for a message, only its changeable fields. It never holds a secret. */
  readonly data: object
  /** The message that it is about, and its instance. */
  readonly message?: { readonly seq: number; readonly instance: string }
}

/** An event in the journal, without its data. */
export interface AppendedEvent extends EventName {
  readonly type: EventType
  readonly instance: string | null
}

interface Taking {
  readonly organization: string
  readonly count: number
  readonly now: number
  readonly unsettled: number
  readonly stored: number
}

const takeNumbers = forEach<Taking>({
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

interface EventToInsert {
  readonly organization_id: string
  readonly sequence: number
  readonly epoch: string
  readonly type: EventType
  readonly instance: string | null
  readonly created_at: number
  readonly message: number | null
  readonly about: string | null
  readonly data: string
}

const insertEvents = forEach<EventToInsert>({
  organization_id: 'text',
  sequence: 'bigint',
  epoch: 'text',
  type: 'text',
  instance: 'text',
  created_at: 'bigint',
  message: 'bigint',
  about: 'text',
  data: 'text',
})((sql, given) =>
  sql.insertInto('events').values({
    organization_id: given('organization_id'),
    sequence: given('sequence'),
    epoch: given('epoch'),
    type: given('type'),
    instance_name: given('instance'),
    created_at: given('created_at'),
    message_seq: given('message'),
    labels_id: sql.selectFrom('instances').select('labels_id').where('id', '=', given('about')),
    data: given('data'),
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
export interface Happened {
  readonly organization: string
  readonly now: number
  readonly events: readonly NewEvent[]
  /** The change in the number of unsettled messages. It goes with the events, so that one update of the row writes both. */
  readonly unsettled?: number
  /** What is added to the bytes that are stored. */
  readonly stored?: number
}

/**
 * Appends events to the journals of organizations, in the transaction that makes them true, so both are stored or neither.
 * Numbers have no gaps, because a transaction that takes one locks the row of the organization until it commits. Times never
 * decrease: if the clock was set back, events get the time of the last event until the clock has caught up. Returns the
 * appended events in order. `happened` names each organization once.
 */
export async function appendEvents(tx: Transaction, happened: readonly Happened[]): Promise<AppendedEvent[]> {
  const some = happened.filter(({ events }) => events.length > 0)
  const taking = some.map(({ events, unsettled = 0, stored = 0, ...own }) => ({
    ...own,
    count: events.length,
    unsettled,
    stored,
  }))
  const taken = new Map((await tx.allForEach(takeNumbers, taking)).map((row) => [row.id, row]))
  const rows = some.flatMap(({ organization, events }) => {
    const numbers = taken.get(organization)
    if (!numbers) throw new Error('an event belongs to no organization')
    const { last_event, last_event_at: created_at, epoch } = numbers
    const first = last_event - events.length + 1
    return events.map(({ data, type, instance, message }, index) => ({
      ...{ organization_id: organization, sequence: first + index, epoch, type, instance, created_at },
      message: message?.seq ?? null,
      about: message?.instance ?? null,
      data: JSON.stringify(data),
    }))
  })
  await tx.runForEach(insertEvents, rows)
  for (const { organization } of some) tx.announce(organization)
  return rows
}
