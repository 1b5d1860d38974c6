import { sql as raw } from 'kysely'
import type { Compilable, Sql } from '../../statement.ts'
import type { Dialect } from '../../store.ts'

/** The tables of files: what messages carry, which files are kept, and the bytes that the store itself keeps. */
export function media(sql: Sql, dialect: Dialect): Compilable<unknown>[] {
  return [
    sql.schema
      .createTable('message_files')
      .addColumn('message_id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('direction', 'text', (column) => column.notNull().defaultTo('outbound'))
      .addColumn('url', 'text')
      .addColumn('reference', 'text')
      .addColumn('fetch_at', 'bigint')
      .addColumn('fetch_attempts', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('voice', 'integer', (column) => column.notNull())
      .addColumn('filename', 'text')
      .addColumn('declared_type', 'text')
      .addColumn('media_id', 'text')
      .addColumn('mime_type', 'text')
      .addColumn('size', 'bigint')
      .addColumn('sha256', 'text'),
    /*
     * Files that unknown senders send are fetched beside those that callers send, and never before them. With the
     * organization, so that the index can pass over organizations with as many fetches under way as they may have.
     */
    sql.schema
      .createIndex('message_files_by_fetch')
      .on('message_files')
      .columns(['direction', 'fetch_at', 'organization_id'])
      .where('fetch_at', 'is not', null),
    ...files(sql),
    sql.schema
      .createTable('small_files')
      .addColumn('media_id', 'text', (column) => column.primaryKey())
      .addColumn('bytes', dialect.bytes, (column) => column.notNull()),
    ...(dialect.name === 'postgres' ? chunks(sql) : []),
  ]
}

function files({ schema }: Sql): Compilable<unknown>[] {
  return [
    schema
      .createTable('media')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('sha256', 'text', (column) => column.notNull())
      .addColumn('size', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint')
      .addColumn('kept_until', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('held_until', 'bigint', (column) => column.notNull().defaultTo(0)),
    schema.createIndex('media_by_digest').unique().on('media').columns(['organization_id', 'sha256']),
    schema
      .createIndex('media_by_expiry')
      .on('media')
      .column('expires_at')
      .where('expires_at', 'is not', null),
    schema
      .createTable('media_uses')
      .addColumn('message_id', 'text', (column) => column.primaryKey())
      .addColumn('media_id', 'text', (column) => column.notNull().references('media.id')),
    schema.createIndex('media_uses_of_media').on('media_uses').column('media_id'),
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
