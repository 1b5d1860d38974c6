import { appendEvents } from '../../../src/events/journal.ts'
import type { NewEvent } from '../../../src/events/stretches/new-stretches.ts'
import { eventsIn } from '../../../src/events/stretches/stretch.ts'
import { storeFunctions } from '../../../src/gateway/transactions.ts'
import { read, type StoreFunctions, transaction } from '../../../src/store/store.ts'

/** Everything about events and their deliveries, as it is in the store. */
export const inspectDeliveries = read('test.inspect-deliveries', async (reader, _: null) => {
  const { sql } = reader
  return {
    organizations: await reader.all(sql.selectFrom('organizations').selectAll().orderBy('id')),
    events: eventsIn(
      await reader.all(sql.selectFrom('events').selectAll().orderBy('organization_id').orderBy('sequence')),
    ),
    webhooks: await reader.all(sql.selectFrom('webhooks').selectAll().orderBy('id')),
    deliveries: await reader.all(sql.selectFrom('deliveries').selectAll().orderBy('seq')),
    attempts: await reader.all(
      sql.selectFrom('delivery_attempts').selectAll().orderBy('delivery_seq').orderBy('number'),
    ),
  }
})

export type DeliveryRows = Awaited<ReturnType<typeof inspectDeliveries.run>>

/** Leaves nothing in the store but these organizations. */
export const resetDeliveries = transaction('test.reset-deliveries', async (tx, organizations: string[]) => {
  for (const table of [
    'delivery_attempts',
    'deliveries',
    'webhooks',
    'events',
    'audit',
    'organizations',
  ] as const)
    await tx.run(tx.sql.deleteFrom(table))
  for (const id of organizations)
    await tx.run(tx.sql.insertInto('organizations').values({ id, name: id, created_at: 0 }))
})

export const appendTestEvents = transaction(
  'test.append-events',
  async (tx, { organization, now, events }: { organization: string; now: number; events: NewEvent[] }) =>
    appendEvents(tx, [{ organization, now, events }]),
)

/** Forgets the events of an organization up to one, as their time is over. */
export const forgetTestEvents = transaction(
  'test.forget-events',
  async (tx, { organization, through }: { organization: string; through: number }) => {
    await tx.run(
      tx.sql
        .deleteFrom('events')
        .where('organization_id', '=', organization)
        .where('sequence', '<=', through),
    )
  },
)

/** The store functions of Posthorn, and those that these tests add. */
export const deliveryFunctionsForTests: StoreFunctions = {
  reads: [...storeFunctions.reads, inspectDeliveries],
  transactions: [...storeFunctions.transactions, resetDeliveries, appendTestEvents, forgetTestEvents],
}
