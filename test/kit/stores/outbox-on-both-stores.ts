import { test } from 'node:test'
import type { Store } from '../../../src/store/store.ts'
import { bothStores } from './both-stores.ts'
import { outboxFunctions } from './outbox-store.ts'

const kinds = await bothStores(outboxFunctions, new URL('outbox-store-thread.ts', import.meta.url))

/** A test that runs on a fresh SQLite and on a fresh PostgreSQL, which both know what `outbox-store.ts` asks. */
export function testOnBothStores(name: string, body: (store: Store) => Promise<void>): void {
  for (const { name: kind, skip, newPlace } of kinds) {
    test(`${name}, ${kind}`, { skip }, async () => {
      const open = await newPlace()
      await body(await open())
    })
  }
}
