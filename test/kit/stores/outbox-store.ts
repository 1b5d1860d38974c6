import { renderEvent, withSubjects } from '../../../src/events/event.ts'
import { eventsIn } from '../../../src/events/stretches/stretch.ts'
import { storeFunctions } from '../../../src/gateway/transactions.ts'
import { withInstance } from '../../../src/messages/message.ts'
import { renderMessageEvent } from '../../../src/messages/message-events.ts'
import { numberInstance } from '../../../src/messages/message-instances.ts'
import { timesOf } from '../../../src/messages/message-times.ts'
import type { Schema } from '../../../src/store/schema.ts'
import type { Value } from '../../../src/store/statement.ts'
import { read, type StoreFunctions, transaction } from '../../../src/store/store.ts'
import { seen } from '../../../src/store/tables/kept-message.ts'

/** The columns of the outbox as they would be for a message that is not in it. */
const notWaiting = {
  ...{ uncertain: 0, underway: 0, held: 0, joins_lane_at: 0, leads_lane: 0 },
  ...{ queue_position: null, due_at: null },
}

/** Everything about messages and queue depths, as it is in the store: each message with what the outbox says of it. */
export const inspectOutbox = read('test.inspect-outbox', async (reader, _: null) => {
  const { sql } = reader
  const stored = await reader.all(sql.selectFrom('events').selectAll().orderBy('sequence'))
  const rows = await withSubjects(reader, eventsIn(stored))
  const outbox = await reader.all(sql.selectFrom('outbox').selectAll().orderBy('seq'))
  const waiting = new Map(outbox.map((row) => [row.seq, row]))
  const messages = await reader.all(
    withInstance(sql)
      .selectAll('messages')
      .select(['organization_id', 'instance_id', 'instance_name'])
      .orderBy('seq'),
  )
  return {
    messages: messages.map((row) => ({
      ...notWaiting,
      ...seen(row),
      ...timesOf(row),
      ...waiting.get(row.seq),
    })),
    waiting: outbox.map(({ seq }) => seq),
    attempts: await reader.all(sql.selectFrom('message_attempts').selectAll().orderBy('number')),
    depths: await reader.all(sql.selectFrom('instances').select(['id', 'queue_depth'])),
    instances: await reader.all(
      sql.selectFrom('instances').select(['id', 'waiting_callbacks', 'waiting_callback_bytes']),
    ),
    callbacks: await reader.all(sql.selectFrom('callbacks').selectAll().orderBy('seq')),
    organizations: await reader.all(sql.selectFrom('organizations').selectAll()),
    labels: await reader.all(sql.selectFrom('instance_labels').selectAll()),
    events: rows.map((row) => ({ ...row, data: renderEvent(row, renderMessageEvent).data })),
  }
})

/** The addresses of contacts, as they are in the store, and how many each instance is said to have. */
export const inspectContacts = read('test.inspect-contacts', async (reader, _: null) => {
  const { sql } = reader
  return {
    addresses: await reader.all(sql.selectFrom('contact_addresses').selectAll().orderBy('address')),
    counts: await reader.all(sql.selectFrom('instances').select(['id', 'contact_addresses']).orderBy('id')),
    organizations: await reader.all(sql.selectFrom('organizations').select('contact_addresses')),
  }
})

/** The keys of instances, as they are in the store, and how many each instance is said to have. */
export const inspectKeys = read('test.inspect-keys', async (reader, _: null) => {
  const { sql } = reader
  return {
    keys: await reader.all(sql.selectFrom('network_keys').selectAll().orderBy('type').orderBy('id')),
    counts: await reader.all(sql.selectFrom('instances').select(['id', 'key_count']).orderBy('id')),
  }
})

/** The files of messages, as they are in the store. */
export const inspectFiles = read('test.inspect-files', (reader, _: null) =>
  reader.all(reader.sql.selectFrom('message_files').selectAll()),
)

export type OutboxRows = Awaited<ReturnType<typeof inspectOutbox.run>>

/** Empties the outbox and leaves these instances in it. */
export const resetOutbox = transaction(
  'test.reset-outbox',
  async (tx, instances: readonly { id: string; network: string }[]) => {
    await tx.run(tx.sql.deleteFrom('messages'))
    await tx.run(tx.sql.deleteFrom('message_instances'))
    await tx.run(tx.sql.deleteFrom('outbox'))
    await tx.run(tx.sql.deleteFrom('message_attempts'))
    await tx.run(tx.sql.deleteFrom('events'))
    await tx.run(tx.sql.deleteFrom('statistics'))
    await tx.run(tx.sql.deleteFrom('queue_depths'))
    await tx.run(tx.sql.deleteFrom('contact_addresses'))
    await tx.run(tx.sql.deleteFrom('marketing_choices'))
    await tx.run(tx.sql.deleteFrom('known_templates'))
    await tx.run(tx.sql.deleteFrom('network_keys'))
    await tx.run(
      tx.sql.updateTable('organizations').set({
        ...{ last_event: 0, last_event_at: 0, last_counted: 0 },
        ...{ unsettled_messages: 0, stored_bytes: 0, contact_addresses: 0 },
      }),
    )
    await tx.run(tx.sql.deleteFrom('instances'))
    const organization = { id: 'org_test', name: 'test', created_at: 0 }
    await tx.run(
      tx.sql
        .insertInto('organizations')
        .values(organization)
        .onConflict((on) => on.doNothing()),
    )
    for (const { id, network } of instances) {
      await numberInstance(tx, { id, organization_id: organization.id, name: id })
      await tx.run(
        tx.sql.insertInto('instances').values({
          id,
          organization_id: organization.id,
          name: id,
          network,
          wanted: 'running',
          status: 'connected',
          status_since: 0,
          settings: '{}',
          credentials: new Uint8Array(),
          metadata: '{}',
          created_at: 0,
          updated_at: 0,
        }),
      )
    }
  },
)

interface Rows {
  readonly table: keyof Schema
  readonly rows: readonly Readonly<Record<string, Value>>[]
}

/** Writes rows as they are. */
export const insertRows = transaction('test.insert-rows', async (tx, { table, rows }: Rows) => {
  for (let at = 0; at < rows.length; at += 100)
    await tx.run(tx.sql.insertInto(table).values(rows.slice(at, at + 100) as never))
})

/** Has every message have been tried so many times. */
export const setAttempts = transaction(
  'test.set-attempts',
  async (tx, { attempts }: { attempts: number }) => {
    for (const table of ['messages', 'outbox'] as const)
      await tx.run(tx.sql.updateTable(table).set({ attempts }))
  },
)

/** All rows of a table by a column, with the columns that are named. */
export const selectRows = read(
  'test.select-rows',
  (reader, { table, columns }: { table: keyof Schema; columns: readonly string[] }) =>
    reader.all(
      reader.sql
        .selectFrom(table)
        .select(columns as never)
        .orderBy(columns[0] as never),
    ) as Promise<Record<string, Value>[]>,
)

/** The store functions of Posthorn, and those that this test adds. */
export const outboxFunctions: StoreFunctions = {
  ...storeFunctions,
  reads: [...storeFunctions.reads, inspectOutbox, inspectContacts, inspectKeys, inspectFiles, selectRows],
  transactions: [...storeFunctions.transactions, resetOutbox, insertRows, setAttempts],
}
