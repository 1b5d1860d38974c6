import type { Compilable, Sql } from '../../statement.ts'
import type { Dialect } from '../../store.ts'
import { inOneTree } from './in-one-tree.ts'

/** Creates the tables of what is counted of each organization. */
export function statistics({ schema }: Sql, dialect: Dialect): Compilable<unknown>[] {
  return [
    schema
      .createTable('statistics')
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('span', 'text', (column) => column.notNull())
      .addColumn('instance_name', 'text', (column) => column.notNull())
      .addColumn('starts_at', 'bigint', (column) => column.notNull())
      .addColumn('instances', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('queue_before', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('queue_after', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('counts', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('statistic', ['organization_id', 'span', 'instance_name', 'starts_at'])
      .modifyEnd(inOneTree(dialect)),
    schema.createIndex('statistics_by_age').on('statistics').column('starts_at'),
    schema
      .createTable('queue_depths')
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('instance_name', 'text', (column) => column.notNull())
      .addColumn('depth', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('queue_depth', ['organization_id', 'instance_name'])
      .modifyEnd(inOneTree(dialect)),
  ]
}
