import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { whyUnfit } from '../../store/migrations/index.ts'
import { factQueries, noFacts, type StoreFacts } from './store-facts.ts'

const busy = 5

/** True if a server runs on the data folder. Asks for a shared lock, which the server's exclusive lock refuses. */
export function isServerRunning(folder: string): boolean {
  const file = join(folder, 'server.lock')
  if (!existsSync(file)) return false
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    database.exec('PRAGMA busy_timeout = 0; SELECT count(*) FROM sqlite_schema')
    return false
  } catch (error) {
    if ((error as { errcode?: number }).errcode === busy) return true
    throw error
  } finally {
    database.close()
  }
}

/** Reads facts about the embedded store, and checks that SQLite accepts the settings that durability depends on. */
export function readSqliteFacts(file: string, running: boolean): StoreFacts {
  const database = new DatabaseSync(readOnlyUrl(file, running), { readOnly: true })
  try {
    database.exec('PRAGMA busy_timeout = 5000; PRAGMA synchronous = FULL')
    const { synchronous } = database.prepare('PRAGMA synchronous').get() as { synchronous: number }
    if (synchronous !== 2) throw new Error('SQLite did not accept PRAGMA synchronous = FULL')
    return factsOf(database)
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

function factsOf(database: DatabaseSync): StoreFacts {
  const tables = database
    .prepare("select 1 from sqlite_schema where type = 'table' and name = 'migrations'")
    .all()
  if (tables.length === 0) return noFacts
  const rows = database.prepare(factQueries.migrations).all() as { name: string }[]
  const names = rows.map(({ name }) => name)
  if (whyUnfit(names)) return { ...noFacts, migrations: names }
  const check = database.prepare(factQueries.masterKeyCheck).get() as { value: string } | undefined
  const installation = database.prepare(factQueries.installation).get() as { value: string } | undefined
  const counts = database.prepare(factQueries.counts).get() as {
    organizations: number
    latest: number | null
  }
  const { held } = database.prepare(factQueries.held).get() as { held: number }
  return {
    migrations: names,
    masterKeyCheck: check?.value ?? null,
    installation: installation?.value ?? null,
    ...counts,
    held,
  }
}
