import type { EventType } from '../contract/resources/event.ts'
import { newId } from '../runtime/ids.ts'
import { statement } from '../store/statement.ts'
import type { Transaction } from '../store/store.ts'

/** What happened, to be told. */
export interface NewEvent {
  readonly type: EventType
  /** The name of the instance that it is about, if there is one. */
  readonly instance: string | null
  /** As the contract has it for this type; never with a secret in it. */
  readonly data: object
}

/** An event as it stands in the journal: which it is, without its data. */
export interface AppendedEvent {
  readonly id: string
  readonly sequence: number
  readonly type: EventType
  readonly instance: string | null
}

interface Taking {
  readonly organization: string
  readonly count: number
  readonly now: number
  readonly unsettled: number
}

const takeNumbers = statement<Taking>()((sql, argument) =>
  sql
    .updateTable('organizations')
    .set((eb) => ({
      last_event: eb('last_event', '+', argument('count')),
      unsettled_messages: eb('unsettled_messages', '+', argument('unsettled')),
      last_event_at: eb
        .case()
        .when('last_event_at', '<', argument('now'))
        .then(argument('now'))
        .else(eb.ref('last_event_at'))
        .end(),
    }))
    .where('id', '=', argument('organization'))
    .returning(['last_event', 'last_event_at', 'epoch']),
)

interface EventToInsert {
  readonly id: string
  readonly organization: string
  readonly sequence: number
  readonly type: EventType
  readonly instance: string | null
  readonly at: number
  readonly epoch: string
  readonly data: string
}

const insertEvent = statement<EventToInsert>()((sql, argument) =>
  sql.insertInto('events').values({
    organization_id: argument('organization'),
    sequence: argument('sequence'),
    id: argument('id'),
    type: argument('type'),
    instance_name: argument('instance'),
    created_at: argument('at'),
    epoch: argument('epoch'),
    data: argument('data'),
  }),
)

/**
 * Writes events into the journal of an organization, in the transaction that makes them true: they are kept together or not
 * at all. Numbers have no gaps, because whoever takes one holds the row of the organization until the commit. Times go with
 * the numbers: where the clock was set back, events have the time of the last one until it has caught up. Tells what was
 * appended. `unsettled` is how many messages they add to those that are unsettled, or take from them: one update of the row
 * keeps both.
 */
export async function appendEvents(
  tx: Transaction,
  organization: string,
  now: number,
  events: readonly NewEvent[],
  unsettled = 0,
): Promise<AppendedEvent[]> {
  if (events.length === 0) return []
  const taken = await tx.first(takeNumbers, { organization, count: events.length, now, unsettled })
  if (!taken) throw new Error('an event belongs to no organization')
  const { last_event, last_event_at: at, epoch } = taken
  const before = last_event - events.length
  const appended: AppendedEvent[] = []
  for (const [index, { type, instance, data }] of events.entries()) {
    const event = { id: newId('evt'), organization, sequence: before + index + 1, type, instance, at, epoch }
    await tx.run(insertEvent, { ...event, data: JSON.stringify(data) })
    appended.push(event)
  }
  tx.announce(organization)
  return appended
}
