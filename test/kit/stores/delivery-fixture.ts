import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach } from 'node:test'
import { openPostgresStore } from '../../../src/store/postgres/postgres.ts'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite.ts'
import type { Store } from '../../../src/store/store.ts'
import { startPostgres } from '../postgres.ts'
import { DeliveryModel } from './delivery-model.ts'
import { deliveryFunctionsForTests, resetDeliveries } from './delivery-store.ts'

/** One of the stores that deliveries are tested on. */
interface StoreUnderTest {
  readonly name: 'SQLite' | 'PostgreSQL'
  /** Why it cannot be tested on here, or false. */
  readonly skip: string | false
  readonly open: (folder: string) => Promise<Store>
}

export const organizations = ['org_a', 'org_b']

/** Both stores. Called once in a test file. */
export async function storesUnderTest(): Promise<readonly StoreUnderTest[]> {
  const postgres = await startPostgres()
  after(() => (postgres.available ? postgres.server.stop() : undefined))
  const openPostgres = async () => {
    assert.ok(postgres.available)
    const url = await postgres.server.createDatabase()
    return openPostgresStore({ url, functions: deliveryFunctionsForTests })
  }
  const skip = postgres.available ? false : postgres.reason
  return [embedded, { name: 'PostgreSQL', skip, open: openPostgres }]
}

/** The embedded store, for what does not depend on the store. */
export const embedded: StoreUnderTest = {
  name: 'SQLite',
  skip: false,
  open: (folder) =>
    openSqliteStore({
      file: join(folder, 'test.db'),
      thread: new URL('delivery-store-thread.ts', import.meta.url),
    }),
}

/** A store for a group of tests, which each test finds with nothing in it but the organizations. */
export class DeliveryFixture {
  #store: Store | undefined
  #model: DeliveryModel | undefined

  constructor({ open }: StoreUnderTest) {
    const folder = mkdtempSync(join(tmpdir(), 'posthorn-delivery-'))
    before(async () => {
      this.#store = await open(folder)
    })
    after(async () => {
      await this.#store?.close()
      rmSync(folder, { recursive: true })
    })
    beforeEach(() => this.begin())
  }

  get store(): Store {
    assert.ok(this.#store)
    return this.#store
  }

  get model(): DeliveryModel {
    assert.ok(this.#model)
    return this.#model
  }

  /** Begins anew. */
  async begin(): Promise<void> {
    await this.store.transact(resetDeliveries, organizations)
    this.#model = new DeliveryModel(this.store)
  }
}
