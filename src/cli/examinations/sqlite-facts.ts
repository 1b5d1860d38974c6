import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

import { noFacts, readFacts, type StoreFacts } from './store-facts.ts'

/** Reads facts about the embedded store, and checks that SQLite accepts the settings that durability depends on. */
export async function readSqliteFacts(file: string, running: boolean): Promise<StoreFacts> {
  const database = new DatabaseSync(readOnlyUrl(file, running), { readOnly: true })
  try {
    database.exec('PRAGMA busy_timeout = 5000; PRAGMA synchronous = FULL')
    const { synchronous } = database.prepare('PRAGMA synchronous').get() as { synchronous: number }
    if (synchronous !== 2) throw new Error('SQLite did not accept PRAGMA synchronous = FULL')
    return await factsOf(database)
  } finally {
    database.close()
  }
}

/**
 * Returns a URL that opens the file without writing beside it. If no server runs and the write-ahead log is empty, SQLite is
 * told that the file will not change, so it does not create the files by which processes coordinate.
 */
export function readOnlyUrl(file: string, running: boolean): URL {
  const log = `${file}-wal`
  const settled = !running && !(existsSync(log) && statSync(log).size > 0)
  const url = pathToFileURL(resolve(file))
  url.search = settled ? 'mode=ro&immutable=1' : 'mode=ro'
  return url
}

async function factsOf(database: DatabaseSync): Promise<StoreFacts> {
  const tables = database
    .prepare("select 1 from sqlite_schema where type = 'table' and name = 'migrations'")
    .all()
  if (tables.length === 0) return noFacts
  return readFacts(async <Row>(sql: string) => database.prepare(sql).all() as Row[])
}
