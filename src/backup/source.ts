import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type pg from 'pg'
import type { Config } from '../runtime/config/config.ts'
import type { BackupTable } from './format.ts'

/** A snapshot of a store, read while a server may be writing to it. */
export interface Source {
  /** The tables that are backed up, each after those that it refers to. */
  tables(): Promise<BackupTable[]>
  rows(table: BackupTable): AsyncIterable<readonly unknown[]>
  /** The rows of a query with a small result. */
  ask(sql: string): Promise<readonly (readonly unknown[])[]>
  close(): Promise<void>
}

export function openSource(config: Config): Promise<Source> {
  const url = config.POSTHORN_DATABASE_URL
  return url === undefined ? openSqlite(join(config.POSTHORN_DATA, 'posthorn.db')) : openPostgres(url)
}

/** Not backed up as tables: the schema is in the header, the larger files are entries of their own, and no session or link page outlives a restore. */
const leftOut = new Set([
  'migrations',
  'media_chunks',
  'sessions',
  'sign_in_codes',
  'link_pages',
  'nodes',
  'duties',
  'asks',
])

/** Sorts the tables so that each comes after those that it refers to. */
function inOrder(
  tables: readonly BackupTable[],
  references: (name: string) => readonly string[],
): BackupTable[] {
  const ordered = new Map<string, BackupTable>()
  const add = (table: BackupTable): void => {
    if (ordered.has(table.name)) return
    for (const target of references(table.name)) {
      const other = tables.find(({ name }) => name === target)
      if (other && other !== table) add(other)
    }
    ordered.set(table.name, table)
  }
  for (const table of tables) add(table)
  return [...ordered.values()]
}

const columnsOf = ({ columns }: BackupTable) => columns.map((column) => `"${column}"`).join(', ')

/** A read transaction sees one moment, however long it takes; meanwhile the server goes on writing to the write-ahead log. */
async function openSqlite(file: string): Promise<Source> {
  const database = new DatabaseSync(file, { readOnly: true })
  database.exec('PRAGMA busy_timeout = 5000; BEGIN')
  const ask = (sql: string) => {
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    return statement
  }
  const all = (sql: string) => ask(sql).all() as unknown as unknown[][]
  return {
    async tables() {
      const names = all(
        "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name",
      ).map(([name]) => String(name))
      const tables = names
        .filter((name) => !leftOut.has(name))
        .map((name) => ({
          name,
          columns: all(`select name from pragma_table_info('${name}') order by cid`).map(([column]) =>
            String(column),
          ),
        }))
      return inOrder(tables, (name) =>
        all(`select "table" from pragma_foreign_key_list('${name}')`).map(([target]) => String(target)),
      )
    },
    async *rows(table) {
      yield* ask(
        `select ${columnsOf(table)} from "${table.name}"`,
      ).iterate() as Iterable<unknown> as Iterable<unknown[]>
    },
    ask: async (sql) => all(sql),
    close: async () => database.close(),
  }
}

const rowsPerFetch = 500

async function openPostgres(url: string): Promise<Source> {
  const { openSnapshot } = await import('../store/postgres/postgres-snapshot.ts')
  const client: pg.Client = await openSnapshot(url)
  const all = async (text: string) => (await client.query({ text, rowMode: 'array' })).rows as unknown[][]
  return {
    async tables() {
      const found = await all(
        `select c.table_name, c.column_name from information_schema.columns c
         join information_schema.tables t using (table_schema, table_name)
         where c.table_schema = current_schema() and t.table_type = 'BASE TABLE' order by c.table_name, c.ordinal_position`,
      )
      const references = await all(
        "select conrelid::regclass::text, confrelid::regclass::text from pg_constraint where contype = 'f'",
      )
      const byName = Map.groupBy(found, ([name]) => String(name))
      const tables = [...byName]
        .filter(([name]) => !leftOut.has(name))
        .map(([name, columns]) => ({ name, columns: columns.map(([, column]) => String(column)) }))
      return inOrder(tables, (name) =>
        references.filter(([from]) => from === name).map(([, target]) => String(target)),
      )
    },
    async *rows(table) {
      await client.query(`declare rows no scroll cursor for select ${columnsOf(table)} from "${table.name}"`)
      for (;;) {
        const rows = await all(`fetch ${rowsPerFetch} from rows`)
        yield* rows
        if (rows.length < rowsPerFetch) break
      }
      await client.query('close rows')
    },
    ask: all,
    close: () => client.end(),
  }
}
