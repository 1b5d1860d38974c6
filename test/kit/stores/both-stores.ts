import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach } from 'node:test'
import { openPostgresStore } from '../../../src/store/postgres/postgres.ts'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite.ts'
import type { Store, StoreFunctions } from '../../../src/store/store.ts'
import { startPostgres } from '../postgres.ts'

/** An empty database on which stores can be opened, as many as a test wants; they are closed when it ends. */
export type Place = () => Promise<Store>

export interface StoreKind {
  readonly name: string
  /** Why it cannot be tested here, or false. */
  readonly skip: string | false
  newPlace(): Promise<Place>
}

/** Both kinds of store, so that a test file can declare its tests once for each. `thread` is the module that serves the functions. */
export async function bothStores(functions: StoreFunctions, thread: URL): Promise<StoreKind[]> {
  const open: Store[] = []
  afterEach(() => Promise.all(open.splice(0).map((store) => store.close())))
  const closing = (opening: Place): Place => {
    return async () => {
      const store = await opening()
      open.push(store)
      return store
    }
  }

  const folder = mkdtempSync(join(tmpdir(), 'posthorn-stores-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  let files = 0
  const postgres = await startPostgres()
  after(() => (postgres.available ? postgres.server.stop() : undefined))
  return [
    {
      name: 'in SQLite',
      skip: false,
      async newPlace() {
        const file = join(folder, `${++files}.db`)
        return closing(() => openSqliteStore({ file, thread }))
      },
    },
    {
      name: 'in PostgreSQL',
      skip: postgres.available ? false : postgres.reason,
      async newPlace() {
        if (!postgres.available) throw new Error(postgres.reason)
        const url = await postgres.server.createDatabase()
        return closing(() => openPostgresStore({ url, functions }))
      },
    },
  ]
}
