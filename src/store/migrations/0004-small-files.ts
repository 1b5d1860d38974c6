import type { Migration } from './migration.ts'

/** The bytes of small files, which are kept beside their records and not in the media store. */
export const smallFiles: Migration = {
  name: '0004-small-files',
  statements: ({ schema }, dialect) => [
    schema
      .createTable('small_files')
      .addColumn('media_id', 'text', (column) => column.primaryKey())
      .addColumn('bytes', dialect.bytes, (column) => column.notNull()),
  ],
}
