import { join } from 'node:path'
import type { Config } from '../runtime/config/config.ts'
import { openSqliteStore } from '../store/sqlite/sqlite.ts'
import type { SharedStore, Store } from '../store/store.ts'

/** The module that runs on the threads of either store. */
const thread = new URL('./store-thread.js', import.meta.url)

interface StoreOptions {
  /** The steps of the schema to go no further than; all without it. */
  readonly schema?: readonly string[] | undefined
  /** Reads of one organization that may be under way at once; unlimited if undefined. */
  readonly readsPerParty?: number
}

/** The store that the configuration names. */
export function openStore(config: Config): Promise<Store> {
  const url = config.POSTHORN_DATABASE_URL
  return url === undefined ? openEmbeddedStore(config.POSTHORN_DATA) : openSharedStore(url)
}

/** The store in the data folder. With `alone`, opening fails if another process has it open, as a server needs. */
export function openEmbeddedStore(
  folder: string,
  { alone = false, ...options }: StoreOptions & { alone?: boolean } = {},
): Promise<Store> {
  const file = join(folder, 'posthorn.db')
  return openSqliteStore({ file, alone, ...options, thread })
}

/** The store in a PostgreSQL database. Its client is loaded only when it is used. */
export async function openSharedStore(url: string, options: StoreOptions = {}): Promise<Store & SharedStore> {
  const [{ openPostgresStore }, { storeFunctions }] = await Promise.all([
    import('../store/postgres/postgres.ts'),
    import('./transactions.ts'),
  ])
  return openPostgresStore({ url, functions: storeFunctions, thread, ...options })
}
