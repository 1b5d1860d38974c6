import { DatabaseSync } from 'node:sqlite'

/*
 * Checks the tables of a SQLite file one after the other, in a process of its own, so that it can be ended in the middle of one. Each
 * check is a read of its own: no longer than that does it keep the write-ahead log from starting over.
 */

/** A printed line of JSON: the table that is next, or a fault of one. */
export type CheckLine =
  | { readonly table: string; readonly share: number }
  | { readonly checked: string; readonly faults: readonly string[] }

/** Faults of one table that are told. */
const maxFaults = 3

const [url = '', pragma = 'quick_check', ...passedOver] = process.argv.slice(2)

function print(line: CheckLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

function faultsOf(database: DatabaseSync, table: string): string[] {
  try {
    const rows = database.prepare(`PRAGMA ${pragma}("${table.replaceAll('"', '""')}")`).all()
    const texts = rows.map((row) => String(Object.values(row)[0]))
    return texts.filter((text) => text !== 'ok').slice(0, maxFaults)
  } catch (error) {
    return [(error as Error).message]
  }
}

const database = new DatabaseSync(new URL(url), { readOnly: true })
database.exec('PRAGMA busy_timeout = 5000')
const tables = ['sqlite_schema', ...tableNames(database)]
for (const [at, table] of tables.entries()) {
  if (passedOver.includes(table)) continue
  print({ table, share: at / tables.length })
  print({ checked: table, faults: faultsOf(database, table) })
}
database.close()

function tableNames(of: DatabaseSync): string[] {
  const rows = of.prepare(
    "select name from sqlite_schema where type = 'table' and rootpage > 0 order by name",
  )
  return rows.all().map(({ name }) => String(name))
}
