import { type Compilable, rawSql, type Sql } from '../../statement.ts'
import type { Dialect } from '../../store.ts'

/**
 * The keys of instances. Their rows do not stand in the tree of the primary key, as those of other tables do: a value of one to three KB
 * would need pages of its own there, and the table would be two thirds larger and be read half as fast.
 */
export function keys({ schema }: Sql, dialect: Dialect): Compilable<unknown>[] {
  return [
    schema
      .createTable('network_keys')
      .addColumn('instance_id', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('value', dialect.bytes, (column) => column.notNull())
      .addColumn('expires_at', 'bigint')
      .addPrimaryKeyConstraint('network_key', ['instance_id', 'type', 'id']),
    schema
      .createIndex('network_keys_expiring')
      .on('network_keys')
      .column('expires_at')
      .where(rawSql<boolean>('expires_at is not null')),
    schema
      .createIndex('network_keys_expiring_of_instance')
      .on('network_keys')
      .columns(['instance_id', 'expires_at'])
      .where(rawSql<boolean>('expires_at is not null')),
  ]
}
