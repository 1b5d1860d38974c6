import { type Compilable, rawSql, type Sql } from '../../statement.ts'
import type { Dialect } from '../../store.ts'

/** The tables of webhooks and what is delivered to them. */
export function webhooks(sql: Sql, dialect: Dialect): Compilable<unknown>[] {
  return [
    sql.schema
      .createTable('webhooks')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('event_types', 'text')
      .addColumn('instance_names', 'text')
      .addColumn('ordering', 'text', (column) => column.notNull())
      .addColumn('batch', 'integer', (column) => column.notNull().defaultTo(1))
      .addColumn('batches_since', 'text')
      .addColumn('enabled', 'integer', (column) => column.notNull())
      .addColumn('paused', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('pending', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('lagging_since', 'bigint')
      .addColumn('disabled_reason', 'text')
      .addColumn('secret', dialect.bytes, (column) => column.notNull())
      .addColumn('previous_secret', dialect.bytes)
      .addColumn('previous_secret_until', 'bigint')
      .addColumn('failing_since', 'bigint')
      .addColumn('begins_after', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
    sql.schema.createIndex('webhooks_of_organization').on('webhooks').columns(['organization_id', 'id']),
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
      .addColumn('schedule_from', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('next_attempt_at', 'bigint')
      .addColumn('batch_id', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('settled_at', 'bigint'),
    ...deliveryIndexes(sql),
    sql.schema
      .createTable('delivery_attempts')
      .addColumn('delivery_seq', 'bigint', (column) => column.notNull())
      .addColumn('number', 'integer', (column) => column.notNull())
      .addColumn('batch_id', 'text')
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('duration', 'integer', (column) => column.notNull())
      .addColumn('status_code', 'integer')
      .addColumn('error', 'text')
      .addColumn('body', 'text')
      .addPrimaryKeyConstraint('delivery_attempt', ['delivery_seq', 'number']),
  ]
}

const isPending = rawSql<boolean>("status = 'pending'")
const hasTime = rawSql<boolean>('next_attempt_at is not null')
/** Pending, and waiting for one before it; what waits in a batch goes with it. */
const isHeldBack = rawSql<boolean>("status = 'pending' and next_attempt_at is null and batch_id is null")
const isInBatch = rawSql<boolean>("status = 'pending' and batch_id is not null")
const isTestWithTime = rawSql<boolean>("event_type = 'webhook.test' and next_attempt_at is not null")

function deliveryIndexes({ schema }: Sql): Compilable<unknown>[] {
  const index = (name: string) => schema.createIndex(name).on('deliveries')
  return [
    index('deliveries_by_status').columns(['webhook_id', 'status', 'seq']),
    index('deliveries_of_event').columns(['webhook_id', 'event_sequence']),
    index('deliveries_due').columns(['webhook_id', 'next_attempt_at', 'seq']).where(hasTime),
    // Tests go out also if the webhook is disabled and everything else waits.
    index('deliveries_of_tests').columns(['webhook_id', 'next_attempt_at', 'seq']).where(isTestWithTime),
    // With the status, though it is the same in all of them: SQLite would look through all that is pending instead.
    index('deliveries_held_back').columns(['webhook_id', 'status', 'seq']).where(isHeldBack),
    index('deliveries_in_batch').columns(['webhook_id', 'batch_id']).where(isInBatch),
    // The first that is pending, of an instance: what is delivered in order waits for it.
    index('deliveries_in_order')
      .columns(['webhook_id', 'instance_name', 'event_sequence', 'seq'])
      .where(isPending),
  ]
}
