import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { openStore } from '../gateway/open-store.ts'
import { readConfig } from '../networks/config.ts'
import { hasOrganizations } from '../organizations/organization-store.ts'
import type { Config } from '../runtime/config/config.ts'
import { isServerRunning } from '../store/server-lock.ts'
import type { Store } from '../store/store.ts'
import { Refusal } from './command.ts'

/**
 * Opens the store for one piece of work, while the server may be running. A store on which no server was ever started is
 * refused: an organization created before the first start would keep that from creating the first admin key, and a new
 * store in the wrong folder would be mistaken for the right one.
 */
export async function withStore<R>(work: (store: Store) => Promise<R>): Promise<R> {
  const config = readConfig(process.env)
  const embedded = config.POSTHORN_DATABASE_URL === undefined
  if (embedded) await refuseUnfit(config)
  const store = await openStore(config)
  try {
    if (!(await store.read(hasOrganizations, null)))
      throw neverStarted(embedded ? resolve(config.POSTHORN_DATA) : 'the database')
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Opening a store brings its schema up to date, which must not happen under a running server that knows only the old one. */
export async function refuseUnfit(config: Config): Promise<void> {
  const file = join(config.POSTHORN_DATA, 'posthorn.db')
  if (!existsSync(file)) throw neverStarted(resolve(config.POSTHORN_DATA))
  if (!isServerRunning(config.POSTHORN_DATA)) return
  const { readSqliteFacts } = await import('./examinations/sqlite-facts.ts')
  const { pendingMigrations } = await import('./examinations/store-facts.ts')
  const facts = await readSqliteFacts(file, true)
  if (pendingMigrations(facts).length > 0)
    throw new Refusal('the running server is older than this version; restart it, then repeat the command')
}

function neverStarted(place: string): Refusal {
  return new Refusal(
    `no server was ever started on ${place}; start it once with \`npx posthorn serve\`, or set POSTHORN_DATA or POSTHORN_DATABASE_URL to the right one`,
  )
}
