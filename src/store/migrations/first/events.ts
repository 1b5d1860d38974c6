import type { Compilable, Sql } from '../../statement.ts'
import type { Dialect } from '../../store.ts'

/** The journal. */
export function events({ schema }: Sql, dialect: Dialect): Compilable<unknown>[] {
  return [
    schema
      .createTable('events')
      .addColumn('seq', dialect.sequence, (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('sequence', 'bigint', (column) => column.notNull())
      .addColumn('epoch', 'text', (column) => column.notNull().defaultTo(''))
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('instance_name', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('data', 'text', (column) => column.notNull()),
    schema.createIndex('events_by_sequence').unique().on('events').columns(['organization_id', 'sequence']),
    schema
      .createTable('epoch_starts')
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('epoch', 'text', (column) => column.notNull())
      .addColumn('previous', 'text', (column) => column.notNull())
      .addColumn('began_after', 'bigint', (column) => column.notNull())
      .addColumn('began_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('epoch_start', ['organization_id', 'epoch']),
  ]
}
