import type { Compilable, Sql } from '../../statement.ts'
import type { Dialect } from '../../store.ts'
import { inOneTree } from './in-one-tree.ts'

/** The tables of browser sessions, and of the codes that begin them. */
export function sessions({ schema }: Sql, dialect: Dialect): Compilable<unknown>[] {
  return ['sessions', 'sign_in_codes'].flatMap((name) => [
    schema
      .createTable(name)
      .addColumn('digest', 'text', (column) => column.primaryKey())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .modifyEnd(inOneTree(dialect)),
    schema.createIndex(`${name}_by_owner`).on(name).columns(['owner', 'created_at']),
    schema.createIndex(`${name}_expiring`).on(name).column('expires_at'),
  ])
}
