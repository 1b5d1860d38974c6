import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openEmbeddedStore, openSharedStore } from '../gateway/open-store.ts'
import type { Store } from '../store/store.ts'
import type { BackupHeader, BackupTable } from './format.ts'

/** An empty store that receives the rows of a backup, all or none. */
export interface RestoreTarget {
  insert(table: BackupTable, rows: readonly (readonly unknown[])[]): Promise<void>
  /** Commits what was inserted. */
  commit(): Promise<void>
  /** Opens the store, with its schema brought up to date. */
  open(): Promise<Store>
  abandon(): Promise<void>
}

/** Creates a SQLite store in a folder, with the schema of the backup. */
export async function newSqliteTarget(
  folder: string,
  { schema, tables }: BackupHeader,
): Promise<RestoreTarget> {
  await (await openEmbeddedStore(folder, { schema })).close()
  const database = new DatabaseSync(join(folder, 'posthorn.db'), { enableForeignKeyConstraints: false })
  // Syncing can wait: an interrupted restore starts over, and nothing here is used before it is renamed.
  database.exec('PRAGMA synchronous = OFF; BEGIN IMMEDIATE')
  for (const { name } of tables) database.exec(`delete from "${name}"`)
  return {
    async insert({ name, columns }, rows) {
      const slots = columns.map(() => '?').join(', ')
      const statement = database.prepare(`insert into "${name}" (${namesOf(columns)}) values (${slots})`)
      for (const row of rows) statement.run(...(row as never[]))
    },
    async commit() {
      database.exec('COMMIT; PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)')
      database.close()
    },
    open: () => openEmbeddedStore(folder),
    async abandon() {
      if (database.isOpen) database.close()
    },
  }
}

const namesOf = (columns: readonly string[]) => columns.map((column) => `"${column}"`).join(', ')

/** PostgreSQL accepts at most 65,535 parameters in a statement. */
const maxParameters = 30_000

/** Drops all tables of a PostgreSQL database and creates those of the backup. */
export async function newPostgresTarget(
  url: string,
  { schema, tables }: BackupHeader,
): Promise<RestoreTarget> {
  const { openAlone } = await import('../store/postgres/postgres-snapshot.ts')
  const client = await openAlone(url)
  const present = await client.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE'",
  )
  for (const { name } of present.rows) await client.query(`drop table if exists "${name}" cascade`)
  await (await openSharedStore(url, { schema })).close()
  await client.query('begin')
  for (const { name } of tables.toReversed()) await client.query(`delete from "${name}"`)
  return {
    async insert({ name, columns }, rows) {
      const rowsPerStatement = Math.floor(maxParameters / columns.length)
      for (let from = 0; from < rows.length; from += rowsPerStatement) {
        const some = rows.slice(from, from + rowsPerStatement)
        const slots = some.map(
          (_, row) => `(${columns.map((_, column) => `$${row * columns.length + column + 1}`).join(', ')})`,
        )
        await client.query(
          `insert into "${name}" (${namesOf(columns)}) values ${slots.join(', ')}`,
          some.flat(),
        )
      }
    },
    async commit() {
      // No server may start on the store before its queue is held.
      await client.query("insert into service (name, value) values ('restoring', $1)", [
        new Date().toISOString(),
      ])
      const { rows } = await client.query<{ table: string; column: string }>(
        `select table_name as table, column_name as column from information_schema.columns
         where table_schema = current_schema() and column_default like 'nextval(%'`,
      )
      for (const { table, column } of rows)
        await client.query(
          `select setval(pg_get_serial_sequence($1, $2), coalesce((select max("${column}") from "${table}"), 0) + 1, false)`,
          [table, column],
        )
      await client.query('commit')
      await client.end()
    },
    open: () => openSharedStore(url),
    abandon: () => client.end().catch(() => {}),
  }
}
