import { type Compilable, rawSql, type Sql } from '../../statement.ts'
import type { Dialect } from '../../store.ts'

/** Creates the table of link pages, on which a visitor without a key may link an account. */
export function linkPages({ schema }: Sql, dialect: Dialect): Compilable<unknown>[] {
  return [
    schema
      .createTable('link_pages')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('digest', 'text', (column) => column.notNull().unique())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('instance_id', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('linked_at', 'bigint')
      .addColumn('title', 'text')
      .addColumn('language', 'text')
      .addColumn('picture_type', 'text')
      .addColumn('picture', dialect.bytes),
    schema.createIndex('link_pages_of_instance').on('link_pages').columns(['instance_id', 'created_at']),
    schema
      .createIndex('link_pages_with_picture')
      .on('link_pages')
      .columns(['organization_id', 'created_at', 'id'])
      .where(rawSql<boolean>('picture_type is not null')),
    schema.createIndex('link_pages_expiring').on('link_pages').column('expires_at'),
  ]
}
