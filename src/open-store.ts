import { join } from 'node:path'
import type { Config } from './runtime/config/config.ts'
import { openSqliteStore } from './store/sqlite/sqlite.ts'
import type { SharedStore, Store } from './store/store.ts'

/** The store that the configuration names. */
export function openStore(config: Config): Promise<Store> {
  const url = config.POSTHORN_DATABASE_URL
  return url === undefined ? openEmbeddedStore(config.POSTHORN_DATA) : openSharedStore(url)
}

/** The store in the data folder. With `alone`, opening fails if another process has it open, as a server needs. */
export function openEmbeddedStore(
  folder: string,
  { alone = false, schema }: { alone?: boolean; schema?: readonly string[] } = {},
): Promise<Store> {
  const file = join(folder, 'posthorn.db')
  return openSqliteStore({ file, alone, schema, thread: new URL('./store-thread.js', import.meta.url) })
}

/** The store in a PostgreSQL database. Its client is loaded only when it is used. */
export async function openSharedStore(url: string, schema?: readonly string[]): Promise<SharedStore> {
  const [{ openPostgresStore }, { storeFunctions }] = await Promise.all([
    import('./store/postgres/postgres.ts'),
    import('./transactions.ts'),
  ])
  return openPostgresStore({ url, functions: storeFunctions, schema })
}
