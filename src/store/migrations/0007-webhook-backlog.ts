import { spelledOut } from '../statement.ts'
import type { Migration } from './migration.ts'

const isPending = spelledOut<boolean>("status = 'pending'")
/** Pending, and waiting for one before it; what waits in a batch goes with it. */
const isHeldBack = spelledOut<boolean>("status = 'pending' and next_attempt_at is null and batch_id is null")
const isInBatch = spelledOut<boolean>("status = 'pending' and batch_id is not null")

/** Batches of events, webhooks that are paused, and what waits for each webhook. */
export const webhookBacklog: Migration = {
  name: '0007-webhook-backlog',
  statements: (sql) => {
    const { schema } = sql
    const webhooks = () => schema.alterTable('webhooks')
    return [
      webhooks().addColumn('batch', 'integer', (column) => column.notNull().defaultTo(1)),
      webhooks().addColumn('batches_since', 'text'),
      webhooks().addColumn('paused', 'integer', (column) => column.notNull().defaultTo(0)),
      webhooks().addColumn('pending', 'bigint', (column) => column.notNull().defaultTo(0)),
      webhooks().addColumn('lagging_since', 'bigint'),
      schema.alterTable('deliveries').addColumn('batch_id', 'text'),
      schema
        .alterTable('deliveries')
        .addColumn('schedule_from', 'integer', (column) => column.notNull().defaultTo(0)),
      schema.alterTable('delivery_attempts').addColumn('batch_id', 'text'),
      sql.updateTable('webhooks').set((eb) => ({
        pending: eb
          .selectFrom('deliveries')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .whereRef('deliveries.webhook_id', '=', 'webhooks.id')
          .where(isPending),
      })),
      schema.dropIndex('deliveries_held_back'),
      schema
        .createIndex('deliveries_held_back')
        .on('deliveries')
        .columns(['webhook_id', 'status', 'seq'])
        .where(isHeldBack),
      schema
        .createIndex('deliveries_in_batch')
        .on('deliveries')
        .columns(['webhook_id', 'batch_id'])
        .where(isInBatch),
      // With the number, so that the first of an instance is one step into the index.
      schema.dropIndex('deliveries_in_order'),
      schema
        .createIndex('deliveries_in_order')
        .on('deliveries')
        .columns(['webhook_id', 'instance_name', 'event_sequence', 'seq'])
        .where(isPending),
    ]
  },
}
