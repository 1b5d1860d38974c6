import { sql as raw } from 'kysely'
import { newId, randomBase32 } from '../../../runtime/ids.ts'
import { type Compilable, rawSql, type Sql } from '../../statement.ts'
import type { Dialect } from '../../store.ts'

/** The tables of the service, organizations, keys, the audit log, instances and idempotency keys. */
export function organizations(sql: Sql, dialect: Dialect): Compilable<unknown>[] {
  const fact = (name: string, value: string) => ({
    compile: () => raw`insert into service (name, value) values (${name}, ${value})`.compile(sql),
  })
  return [
    sql.schema
      .createTable('service')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull()),
    fact('store_id', newId('node')),
    fact('epoch', randomBase32(5)),
    sql.schema
      .createTable('organizations')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('epoch', 'text', (column) => column.notNull().defaultTo(''))
      .addColumn('last_event', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('last_event_at', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('last_fanned_out', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('last_counted', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('last_audit', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('file_bytes', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('stored_bytes', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('unsettled_messages', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('incoming_messages', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('waiting_callbacks', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('waiting_callback_bytes', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('contact_addresses', 'bigint', (column) => column.notNull().defaultTo(0)),
    sql.schema
      .createTable('api_keys')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
      .addColumn('name', 'text')
      .addColumn('digest', 'text', (column) => column.notNull().unique())
      .addColumn('hint', 'text', (column) => column.notNull())
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('revoked_at', 'bigint')
      .addColumn('expires_at', 'bigint')
      .addColumn('instance_names', 'text')
      .addColumn('last_used_at', 'bigint'),
    sql.schema.createIndex('api_keys_of_organization').on('api_keys').columns(['organization_id', 'id']),
    ...audit(sql, dialect),
    ...instances(sql, dialect),
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
  ]
}

function audit({ schema }: Sql, dialect: Dialect): Compilable<unknown>[] {
  return [
    schema
      .createTable('audit')
      .addColumn('seq', dialect.sequence, (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('number', 'bigint', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('key_id', 'text')
      .addColumn('key_hint', 'text')
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('target', 'text')
      .addColumn('instance_name', 'text')
      .addColumn('result', 'text', (column) => column.notNull())
      .addColumn('address', 'text')
      .addColumn('request_id', 'text'),
    schema.createIndex('audit_by_number').on('audit').columns(['organization_id', 'number']).unique(),
  ]
}

function instances({ schema }: Sql, dialect: Dialect): Compilable<unknown>[] {
  return [
    schema
      .createTable('instance_labels')
      .addColumn('id', dialect.sequence, (column) => column.primaryKey())
      .addColumn('metadata', 'text', (column) => column.notNull())
      .addColumn('retired_at', 'bigint'),
    schema
      .createIndex('instance_labels_retired')
      .on('instance_labels')
      .column('retired_at')
      .where(rawSql<boolean>('retired_at is not null')),
    schema
      .createTable('instances')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('network', 'text', (column) => column.notNull())
      .addColumn('wanted', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('status_since', 'bigint', (column) => column.notNull())
      .addColumn('reason', 'text')
      .addColumn('link', dialect.bytes)
      .addColumn('restriction', 'text')
      .addColumn('account', 'text')
      .addColumn('account_key', 'text')
      .addColumn('settings', 'text', (column) => column.notNull())
      .addColumn('credentials', dialect.bytes, (column) => column.notNull())
      .addColumn('shared_callback', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('claimed_account', 'text')
      .addColumn('claimed_group', 'text')
      .addColumn('claimed_at', 'bigint')
      .addColumn('metadata', 'text', (column) => column.notNull())
      .addColumn('labels_id', 'bigint', (column) => column.references('instance_labels.id'))
      .addColumn('queue_depth', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('next_attempt_at', 'bigint')
      .addColumn('linked_at', 'bigint')
      .addColumn('connected_at', 'bigint')
      .addColumn('last_verified_at', 'bigint')
      .addColumn('caught_up_mark', 'text')
      .addColumn('caught_up_at', 'bigint')
      .addColumn('waiting_callbacks', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('waiting_callback_bytes', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('contact_addresses', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('key_owner', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('key_count', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
    ...instanceIndexes(schema),
  ]
}

function instanceIndexes(schema: Sql['schema']): Compilable<unknown>[] {
  return [
    schema.createIndex('instances_by_name').unique().on('instances').columns(['organization_id', 'name']),
    // No two instances of an organization use one account.
    schema
      .createIndex('instances_by_account')
      .unique()
      .on('instances')
      .columns(['organization_id', 'network', 'account_key']),
    // No two instances of the server get what is posted about one account.
    schema
      .createIndex('instances_by_claimed_account')
      .unique()
      .on('instances')
      .columns(['network', 'claimed_account'])
      .where(rawSql<boolean>('claimed_account is not null')),
    schema
      .createIndex('instances_by_claimed_group')
      .on('instances')
      .columns(['network', 'claimed_group'])
      .where(rawSql<boolean>('claimed_group is not null')),
  ]
}
