import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { openPostgresStore } from '../../../src/store/postgres/postgres.ts'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite.ts'
import type { Store } from '../../../src/store/store.ts'
import { startPostgres } from '../postgres.ts'
import { outboxFunctions } from './outbox-store.ts'

const postgres = await startPostgres()
after(() => (postgres.available ? postgres.server.stop() : undefined))

const thread = new URL('outbox-store-thread.ts', import.meta.url)

async function openInSqlite(context: TestContext): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-outbox-'))
  const store = await openSqliteStore({ file: join(folder, 'test.db'), thread })
  context.after(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return store
}

async function openInPostgres(context: TestContext): Promise<Store> {
  if (!postgres.available) throw new Error(postgres.reason)
  const url = await postgres.server.createDatabase()
  const store = await openPostgresStore({ url, functions: outboxFunctions })
  context.after(() => store.close())
  return store
}

/**
 * A test that runs on a fresh SQLite and on a fresh PostgreSQL, which both know what `outbox-store.ts` asks. It cleans up by
 * itself, because files that share a process share this module, whose hooks are those of the first.
 */
export function testOnBothStores(name: string, body: (store: Store) => Promise<void>): void {
  test(`${name}, in SQLite`, async (context) => body(await openInSqlite(context)))
  const skip = postgres.available ? false : postgres.reason
  test(`${name}, in PostgreSQL`, { skip }, async (context) => body(await openInPostgres(context)))
}
