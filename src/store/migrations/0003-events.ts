import { type Sql, spelledOut } from '../statement.ts'
import type { Dialect } from '../store.ts'
import type { Migration } from './migration.ts'

/** The journal, webhooks and their deliveries, and what messages that were received need. */
export const events: Migration = {
  name: '0003-events',
  statements: (sql, dialect) => [
    ...received(sql),
    ...journal(sql, dialect),
    ...webhooks(sql, dialect),
    ...deliveries(sql, dialect),
  ],
}

function received(sql: Sql) {
  const { schema } = sql
  return [
    schema
      .alterTable('messages')
      .addColumn('direction', 'text', (column) => column.notNull().defaultTo('outbound')),
    schema.alterTable('messages').addColumn('sender', 'text'),
    schema.alterTable('messages').addColumn('account', 'text'),
    // Callers look for what came in, also where it is rare among what was sent.
    schema
      .createIndex('messages_received')
      .on('messages')
      .expression(spelledOut('(seq >> 10), organization_id, instance_name'))
      .where(spelledOut<boolean>("direction = 'inbound'")),
    schema.alterTable('instances').addColumn('caught_up_id', 'text'),
    schema.alterTable('instances').addColumn('caught_up_at', 'bigint'),
    ...receivedFiles(sql),
  ]
}

/** Files that strangers send are fetched beside those that callers send, and never before them. */
function receivedFiles({ schema }: Sql) {
  return [
    schema
      .alterTable('message_files')
      .addColumn('direction', 'text', (column) => column.notNull().defaultTo('outbound')),
    schema.alterTable('message_files').addColumn('declared_type', 'text'),
    schema.dropIndex('message_files_by_fetch'),
    schema
      .createIndex('message_files_by_fetch')
      .on('message_files')
      .columns(['direction', 'fetch_at', 'organization_id'])
      .where('fetch_at', 'is not', null),
  ]
}

function journal(sql: Sql, dialect: Dialect) {
  const counter = (name: string) =>
    sql.schema
      .alterTable('organizations')
      .addColumn(name, 'bigint', (column) => column.notNull().defaultTo(0))
  return [
    counter('last_event'),
    counter('last_event_at'),
    counter('last_fanned_out'),
    sql.schema
      .createTable('events')
      .addColumn('seq', dialect.sequence, (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('sequence', 'bigint', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('instance_name', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('data', 'text', (column) => column.notNull()),
    sql.schema
      .createIndex('events_by_sequence')
      .unique()
      .on('events')
      .columns(['organization_id', 'sequence']),
  ]
}

function webhooks(sql: Sql, dialect: Dialect) {
  return [
    sql.schema
      .createTable('webhooks')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('event_types', 'text')
      .addColumn('instance_names', 'text')
      .addColumn('ordering', 'text', (column) => column.notNull())
      .addColumn('enabled', 'integer', (column) => column.notNull())
      .addColumn('disabled_reason', 'text')
      .addColumn('secret', dialect.bytes, (column) => column.notNull())
      .addColumn('previous_secret', dialect.bytes)
      .addColumn('previous_secret_until', 'bigint')
      .addColumn('failing_since', 'bigint')
      .addColumn('begins_after', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
    sql.schema.createIndex('webhooks_of_organization').on('webhooks').columns(['organization_id', 'id']),
  ]
}

const isPending = spelledOut<boolean>("status = 'pending'")
const hasTime = spelledOut<boolean>('next_attempt_at is not null')
/** Pending, and waiting for one before it. */
const isHeldBack = spelledOut<boolean>("status = 'pending' and next_attempt_at is null")
const isTestWithTime = spelledOut<boolean>("event_type = 'webhook.test' and next_attempt_at is not null")

function deliveries(sql: Sql, dialect: Dialect) {
  return [
    sql.schema
      .createTable('deliveries')
      .addColumn('seq', dialect.sequence, (column) => column.primaryKey())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('webhook_id', 'text', (column) => column.notNull())
      .addColumn('event_sequence', 'bigint', (column) => column.notNull())
      .addColumn('event_id', 'text', (column) => column.notNull())
      .addColumn('event_type', 'text', (column) => column.notNull())
      .addColumn('instance_name', 'text')
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('next_attempt_at', 'bigint')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('settled_at', 'bigint'),
    sql.schema.createIndex('deliveries_by_status').on('deliveries').columns(['webhook_id', 'status', 'seq']),
    sql.schema.createIndex('deliveries_of_event').on('deliveries').columns(['webhook_id', 'event_sequence']),
    sql.schema
      .createIndex('deliveries_due')
      .on('deliveries')
      .columns(['webhook_id', 'next_attempt_at', 'seq'])
      .where(hasTime),
    // Tests go out also where the webhook is disabled and everything else waits.
    sql.schema
      .createIndex('deliveries_of_tests')
      .on('deliveries')
      .columns(['webhook_id', 'next_attempt_at', 'seq'])
      .where(isTestWithTime),
    // With the status, though it is the same in all of them: SQLite would look through all that is pending instead.
    sql.schema
      .createIndex('deliveries_held_back')
      .on('deliveries')
      .columns(['webhook_id', 'status', 'seq'])
      .where(isHeldBack),
    // The earliest that is not settled, of an instance: what is delivered in order waits for it.
    sql.schema
      .createIndex('deliveries_in_order')
      .on('deliveries')
      .columns(['webhook_id', 'instance_name', 'event_sequence'])
      .where(isPending),
    sql.schema
      .createTable('delivery_attempts')
      .addColumn('delivery_seq', 'bigint', (column) => column.notNull())
      .addColumn('number', 'integer', (column) => column.notNull())
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('duration', 'integer', (column) => column.notNull())
      .addColumn('status_code', 'integer')
      .addColumn('error', 'text')
      .addColumn('body', 'text')
      .addPrimaryKeyConstraint('delivery_attempt', ['delivery_seq', 'number']),
  ]
}
