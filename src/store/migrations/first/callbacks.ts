import type { Compilable, Sql } from '../../statement.ts'
import type { Dialect } from '../../store.ts'

/** The tables of callbacks, which are stored only until they are handled. */
export function createCallbacks({ schema }: Sql, dialect: Dialect): Compilable<unknown>[] {
  return [
    schema
      .createTable('callbacks')
      .addColumn('seq', dialect.sequence, (column) => column.primaryKey())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('instance_id', 'text', (column) => column.notNull())
      .addColumn('received_at', 'bigint', (column) => column.notNull())
      .addColumn('body', dialect.bytes, (column) => column.notNull())
      .addColumn('size', 'bigint', (column) => column.notNull()),
    schema.createIndex('callbacks_in_order').on('callbacks').columns(['instance_id', 'seq']),
    schema
      .createTable('kept_parts')
      .addColumn('seq', dialect.sequence, (column) => column.primaryKey())
      .addColumn('instance_id', 'text', (column) => column.notNull())
      .addColumn('digest', 'text', (column) => column.notNull())
      .addColumn('kept_at', 'bigint', (column) => column.notNull()),
    schema.createIndex('kept_parts_by_digest').unique().on('kept_parts').columns(['instance_id', 'digest']),
    schema.createIndex('kept_parts_by_age').on('kept_parts').column('kept_at'),
  ]
}
