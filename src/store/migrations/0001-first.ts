import { type Sql, spelledOut, unsettled } from '../statement.ts'
import type { Dialect } from '../store.ts'
import type { Migration } from './migration.ts'

/** The tables of organizations, keys, instances, messages and idempotency keys. */
export const first: Migration = {
  name: '0001-first',
  statements: (sql, dialect) => [
    sql.schema
      .createTable('service')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull()),
    ...organizations(sql),
    ...instances(sql, dialect),
    ...messages(sql, dialect),
    sql.schema
      .createTable('idempotency')
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('operation', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('fingerprint', 'text', (column) => column.notNull())
      .addColumn('status', 'integer', (column) => column.notNull())
      .addColumn('location', 'text')
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('idempotency_key', ['organization_id', 'operation', 'key']),
    sql.schema.createIndex('idempotency_by_age').on('idempotency').column('created_at'),
  ],
}

function organizations(sql: Sql) {
  return [
    sql.schema
      .createTable('organizations')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('created_at', 'bigint', (column) => column.notNull()),
    sql.schema
      .createTable('api_keys')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
      .addColumn('digest', 'text', (column) => column.notNull().unique())
      .addColumn('hint', 'text', (column) => column.notNull())
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('revoked_at', 'bigint'),
  ]
}

function instances(sql: Sql, dialect: Dialect) {
  return [
    sql.schema
      .createTable('instances')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('network', 'text', (column) => column.notNull())
      .addColumn('wanted', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('status_since', 'bigint', (column) => column.notNull())
      .addColumn('reason', 'text')
      .addColumn('link', dialect.bytes === 'blob' ? 'blob' : 'bytea')
      .addColumn('restriction', 'text')
      .addColumn('account', 'text')
      .addColumn('settings', 'text', (column) => column.notNull())
      .addColumn('credentials', dialect.bytes === 'blob' ? 'blob' : 'bytea', (column) => column.notNull())
      .addColumn('metadata', 'text', (column) => column.notNull())
      .addColumn('queue_depth', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('next_attempt_at', 'bigint')
      .addColumn('connected_at', 'bigint')
      .addColumn('last_verified_at', 'bigint')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
    sql.schema.createIndex('instances_by_name').unique().on('instances').columns(['organization_id', 'name']),
  ]
}

/*
 * Every index is paid for by every message, so each one serves a question that is asked often, and those about
 * unsettled messages hold only unsettled messages. Those that list messages begin with the block of the number, so that a
 * new message changes the pages that its neighbours in time change too (docs/decisions/0013).
 */
function messages(sql: Sql, dialect: Dialect) {
  const listIndex = (name: string, column: string) =>
    sql.schema
      .createIndex(name)
      .on('messages')
      .expression(spelledOut(`(seq >> 10), organization_id, ${column}`))
  return [
    sql.schema
      .createTable('messages')
      .addColumn('seq', dialect.sequence, (column) => column.primaryKey())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('instance_id', 'text', (column) => column.notNull())
      .addColumn('instance_name', 'text', (column) => column.notNull())
      .addColumn('recipient', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('text', 'text')
      .addColumn('network_message_id', 'text', (column) => column.notNull())
      .addColumn('client_ref', 'text')
      .addColumn('metadata', 'text')
      .addColumn('error', 'text')
      .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('uncertain', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('send_at', 'bigint')
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('sent_at', 'bigint')
      .addColumn('delivered_at', 'bigint')
      .addColumn('read_at', 'bigint')
      .addColumn('awaits_file', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('joins_at', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('turn_at', 'bigint'),
    listIndex('messages_of_instance', 'instance_name'),
    listIndex('messages_to_recipient', 'recipient'),
    listIndex('messages_by_client_ref', 'client_ref').where(spelledOut<boolean>('client_ref is not null')),
    sql.schema
      .createIndex('messages_on_network')
      .unique()
      .on('messages')
      .columns(['network_message_id', 'instance_id']),
    sql.schema
      .createIndex('messages_by_turn')
      .on('messages')
      .columns(['instance_id', 'turn_at', 'seq'])
      .where('turn_at', 'is not', null),
    sql.schema
      .createIndex('messages_unsettled')
      .on('messages')
      .columns(['instance_id', 'recipient', 'joins_at', 'seq'])
      .where(unsettled),
    sql.schema.createIndex('messages_by_expiry').on('messages').column('expires_at').where(unsettled),
  ]
}
