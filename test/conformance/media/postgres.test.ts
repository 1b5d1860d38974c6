import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { storeFunctions } from '../../../src/gateway/transactions.ts'
import { MediaMissing } from '../../../src/media/store/media-store.ts'
import { openPostgresMedia } from '../../../src/media/store/postgres.ts'
import { newId } from '../../../src/runtime/ids.ts'
import { openPostgresStore } from '../../../src/store/postgres/postgres.ts'
import { StoreUnavailable } from '../../../src/store/store.ts'
import { startOwnPostgres } from '../../kit/postgres.ts'
import { idsOf, mediaStoreFixture, read, sampleBytes } from './fixture.ts'
import { mediaStoreSuite } from './suite.ts'

const postgres = await startOwnPostgres({ max_connections: '60' })
const server = postgres.available ? postgres.server : undefined
after(() => server?.stop())

if (!server) {
  it('the media store in PostgreSQL', { skip: postgres.available ? false : postgres.reason }, () => {})
} else {
  describe('the media store in PostgreSQL', () => {
    /** A database with its tables, which the store makes. */
    const newDatabase = async () => {
      const url = await server.createDatabase()
      await (await openPostgresStore({ url, functions: storeFunctions })).close()
      return url
    }
    const fixture = mediaStoreFixture(async () => {
      const url = await newDatabase()
      return () => openPostgresMedia(url)
    })
    mediaStoreSuite(fixture)

    it('keeps nothing of a file whose writing was cut off', async () => {
      const url = await newDatabase()
      const store = await openPostgresMedia(url)
      const draft = await fixture.draft(sampleBytes(40_000_000))
      const id = newId('med')
      const refused = assert.rejects(store.put(id, draft), StoreUnavailable)
      await cutOffWriting(url)
      await refused
      assert.deepEqual(await server.query('select media_id from media_chunks', [], url), [])
      await store.put(id, draft)
      assert.deepEqual(await read(store.read({ id, size: draft.size })), sampleBytes(draft.size))
      await store.close()
    })

    it('shows an organization the bytes of its own files, and of no others', async () => {
      const url = await newDatabase()
      const store = await openPostgresMedia(url)
      const id = newId('med')
      const file = { id, size: 600_000 }
      await store.put(id, await fixture.draft(sampleBytes(file.size)), 'org_a')
      const record = `insert into media (id, organization_id, sha256, size, created_at) values ('${id}', 'org_a', '', 600000, 0)`
      await server.query(record, [], url)
      const range = { first: 300_000, last: 599_999 }
      assert.deepEqual(await read(store.read(file, undefined, 'org_a')), sampleBytes(file.size))
      assert.deepEqual(await read(store.read(file, range, 'org_a')), sampleBytes(file.size).subarray(300_000))
      assert.deepEqual(
        await read(store.read(file, range, 'operator')),
        sampleBytes(file.size).subarray(300_000),
      )
      await assert.rejects(read(store.read(file, range, 'org_b')), MediaMissing)
      await store.close()
    })

    it('says so while the server is down, and goes on when it is back', async () => {
      const store = await fixture.store()
      const file = { id: newId('med'), size: 1000 }
      await store.put(file.id, await fixture.draft(sampleBytes(1000)))
      await server.down()
      await assert.rejects(store.put(newId('med'), await fixture.draft(sampleBytes(1000))), StoreUnavailable)
      await assert.rejects(read(store.read(file)), StoreUnavailable)
      await assert.rejects(idsOf(store), StoreUnavailable)
      await assert.rejects(store.has(file), StoreUnavailable)
      await server.up()
      assert.deepEqual(await read(store.read(file)), sampleBytes(1000))
      await store.put(newId('med'), await fixture.draft(sampleBytes(1000)))
    })

    /** Ends the connection that writes a file, once it is at it. */
    async function cutOffWriting(url: string): Promise<void> {
      const writing = `select pg_terminate_backend(pid) as cut from pg_stat_activity
        where datname = current_database() and query like 'insert into media_chunks%' and state <> 'idle'`
      let cut: unknown[] = []
      while (cut.length === 0) cut = (await server?.query(writing, [], url)) ?? []
    }
  })
}
