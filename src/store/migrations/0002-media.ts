import { sql as raw } from 'kysely'
import type { Compilable, Sql } from '../statement.ts'
import type { Migration } from './migration.ts'

/** The tables of media: files, the messages that use them, and their bytes where PostgreSQL keeps those. */
export const media: Migration = {
  name: '0002-media',
  statements: (sql, dialect) => [...files(sql), ...(dialect.name === 'postgres' ? chunks(sql) : [])],
}

function files(sql: Sql) {
  return [
    sql.schema
      .createTable('message_files')
      .addColumn('message_id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('url', 'text')
      .addColumn('fetch_at', 'bigint')
      .addColumn('fetch_attempts', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('voice', 'integer', (column) => column.notNull())
      .addColumn('filename', 'text')
      .addColumn('media_id', 'text')
      .addColumn('mime_type', 'text')
      .addColumn('size', 'bigint')
      .addColumn('sha256', 'text'),
    // With the organization, so that those who have as many under way as they may are passed over in the index.
    sql.schema
      .createIndex('message_files_by_fetch')
      .on('message_files')
      .columns(['fetch_at', 'organization_id'])
      .where('fetch_at', 'is not', null),
    sql.schema
      .createTable('media')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('sha256', 'text', (column) => column.notNull())
      .addColumn('size', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint'),
    sql.schema.createIndex('media_by_digest').unique().on('media').columns(['organization_id', 'sha256']),
    sql.schema
      .createIndex('media_by_expiry')
      .on('media')
      .column('expires_at')
      .where('expires_at', 'is not', null),
    sql.schema
      .createTable('media_uses')
      .addColumn('message_id', 'text', (column) => column.primaryKey())
      .addColumn('media_id', 'text', (column) => column.notNull().references('media.id')),
    sql.schema.createIndex('media_uses_of_media').on('media_uses').column('media_id'),
  ]
}

/** Files are compressed already as a rule, so PostgreSQL is told not to try. */
function chunks(sql: Sql): Compilable<unknown>[] {
  return [
    sql.schema
      .createTable('media_chunks')
      .addColumn('media_id', 'text', (column) => column.notNull())
      .addColumn('start', 'bigint', (column) => column.notNull())
      .addColumn('bytes', 'bytea', (column) => column.notNull())
      .addPrimaryKeyConstraint('media_chunk', ['media_id', 'start']),
    { compile: () => raw`alter table media_chunks alter column bytes set storage external`.compile(sql) },
  ]
}
