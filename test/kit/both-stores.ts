import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openPostgresStore } from '../../src/store/postgres.ts'
import { openSqliteStore } from '../../src/store/sqlite.ts'
import type { Store } from '../../src/store/store.ts'
import { outboxFunctions } from './outbox-store.ts'
import { startPostgres } from './postgres.ts'

const postgres = await startPostgres()
after(() => (postgres.available ? postgres.server.stop() : undefined))

/** A test that runs on a fresh SQLite and on a fresh PostgreSQL, which both know what `outbox-store.ts` asks. */
export function testOnBothStores(name: string, body: (store: Store) => Promise<void>): void {
  test(`${name} (SQLite)`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'posthorn-store-'))
    const thread = new URL('outbox-store-thread.ts', import.meta.url)
    const store = await openSqliteStore({ file: join(folder, 'test.db'), thread })
    await body(store).finally(() => store.close())
    rmSync(folder, { recursive: true })
  })
  test(`${name} (PostgreSQL)`, { skip: postgres.available ? false : postgres.reason }, async () => {
    if (!postgres.available) return
    const url = await postgres.server.createDatabase()
    const store = await openPostgresStore({ url, functions: outboxFunctions })
    await body(store).finally(() => store.close())
  })
}
