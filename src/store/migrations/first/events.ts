import type { Compilable, Sql } from '../../statement.ts'
import type { Dialect } from '../../store.ts'
import { inOneTree } from './in-one-tree.ts'

/** The journal. */
export function events({ schema }: Sql, dialect: Dialect): Compilable<unknown>[] {
  return [
    schema
      .createTable('events')
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('sequence', 'bigint', (column) => column.notNull())
      .addColumn('epoch', 'text', (column) => column.notNull().defaultTo(''))
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('instance_name', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('message_seq', 'bigint')
      .addColumn('labels_id', 'bigint')
      .addColumn('format', 'integer', (column) => column.notNull().defaultTo(1))
      .addColumn('data', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('event', ['organization_id', 'sequence'])
      .modifyEnd(inOneTree(dialect)),
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
