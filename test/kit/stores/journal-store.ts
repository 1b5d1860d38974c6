import type { DeliveryStatus } from '../../../src/contract/statuses.ts'
import { appendEvents } from '../../../src/events/journal.ts'
import { lengthsNumbered } from '../../../src/events/stretches/event-lengths.ts'
import type { NewEvent } from '../../../src/events/stretches/new-stretches.ts'
import {
  eventsNumbered,
  type NextOfRange,
  nextEvents,
  oldestKept,
} from '../../../src/events/stretches/read-events.ts'
import { eventsIn } from '../../../src/events/stretches/stretch.ts'
import { storeFunctions } from '../../../src/gateway/transactions.ts'
import { beginEpoch } from '../../../src/store/position.ts'
import { read, type StoreFunctions, transaction } from '../../../src/store/store.ts'

/** Creates organizations with these ids. */
export const createOrganizations = transaction('test.create-organizations', async (tx, ids: string[]) => {
  for (const id of ids)
    await tx.run(tx.sql.insertInto('organizations').values({ id, name: id, created_at: 0 }))
})

/** Writes events as a feature does; then fails, if told to. */
export const writeEvents = transaction(
  'test.write-events',
  async (tx, args: { organization: string; now: number; events: NewEvent[]; fault?: string }) => {
    await appendEvents(tx, [args])
    if (args.fault !== undefined) throw new Error(args.fault)
  },
)

/** Takes a journal back to a number, as a restore does, and begins an epoch of this name. */
export const goBackTo = transaction(
  'test.go-back-to',
  async (
    tx,
    { organization, sequence, epoch }: { organization: string; sequence: number; epoch: string },
  ) => {
    await tx.run(
      tx.sql
        .deleteFrom('events')
        .where('organization_id', '=', organization)
        .where('sequence', '>', sequence),
    )
    await tx.run(
      tx.sql.updateTable('organizations').set({ last_event: sequence }).where('id', '=', organization),
    )
    await beginEpoch(tx, { epoch, now: sequence })
  },
)

/** Writes deliveries, each with one attempt, as they stand after this moment. */
export const writeDeliveries = transaction(
  'test.write-deliveries',
  async (tx, deliveries: readonly { id: string; at: number; status: DeliveryStatus }[]) => {
    for (const { id, at, status } of deliveries) {
      const row = await tx.first(
        tx.sql
          .insertInto('deliveries')
          .values({
            id,
            organization_id: 'org_a',
            webhook_id: 'wh_1',
            event_sequence: 1,
            event_id: 'evt_1',
            event_type: 'message.queued',
            status,
            attempts: 1,
            next_attempt_at: status === 'pending' ? at : null,
            settled_at: status === 'pending' ? null : at,
            created_at: at,
          })
          .returning('seq'),
      )
      const attempt = { delivery_seq: row?.seq ?? 0, number: 1, started_at: at, duration: 1 }
      await tx.run(tx.sql.insertInto('delivery_attempts').values(attempt))
    }
  },
)

/** The deliveries that are kept, by their ids, and how many attempts. */
export const readDeliveries = read('test.read-deliveries', async (reader, _: null) => {
  const { sql } = reader
  const kept = await reader.all(sql.selectFrom('deliveries').select(['id', 'seq']).orderBy('seq'))
  const attempts = await reader.all(
    sql.selectFrom('delivery_attempts').select('delivery_seq').orderBy('delivery_seq'),
  )
  const idOf = new Map(kept.map(({ seq, id }) => [seq, id]))
  return {
    deliveries: kept.map(({ id }) => id),
    attempts: attempts.map(({ delivery_seq }) => idOf.get(delivery_seq)),
  }
})

/** The whole journal in the order of its rows, and the number of the last event of each organization. */
export const readJournal = read('test.read-journal', async (reader, _: null) => {
  const { sql } = reader
  const organizations = await reader.all(sql.selectFrom('organizations').select(['id', 'last_event']))
  return {
    events: eventsIn(
      await reader.all(sql.selectFrom('events').selectAll().orderBy('organization_id').orderBy('sequence')),
    ),
    last: new Map(organizations.map(({ id, last_event }) => [id, last_event])),
  }
})

/** The next events of a range. */
export const readNext = read('test.read-next', (reader, next: NextOfRange) => nextEvents(reader, next))

/** The events with some numbers, the bytes of the data of each, and the number of the oldest that is kept. */
export const readNumbered = read(
  'test.read-numbered',
  async (reader, { organization, numbers }: { organization: string; numbers: readonly number[] }) => ({
    events: await eventsNumbered(reader, organization, numbers),
    lengths: await lengthsNumbered(reader, organization, numbers),
    oldest: await oldestKept(reader, organization),
  }),
)

/** The stretches of the journal, in order: the number of the last event of each, and of how many it has. */
export const readStretches = read('test.read-stretches', (reader, _: null) =>
  reader.all(
    reader.sql
      .selectFrom('events')
      .select(['organization_id', 'sequence', 'count'])
      .orderBy('organization_id')
      .orderBy('sequence'),
  ),
)

/** The store functions of Posthorn, and those that these tests add. */
export const journalFunctions: StoreFunctions = {
  reads: [...storeFunctions.reads, readJournal, readDeliveries, readNext, readNumbered, readStretches],
  transactions: [...storeFunctions.transactions, createOrganizations, writeEvents, goBackTo, writeDeliveries],
}
