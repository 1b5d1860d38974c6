import assert from 'node:assert/strict'
import { testOnBothStores } from '../../test/kit/stores/outbox-on-both-stores.ts'
import { insertRows, resetOutbox, selectRows } from '../../test/kit/stores/outbox-store.ts'
import { forgetMedia } from './media-record.ts'

testOnBothStores('of small files that are removed, one transaction takes a megabyte', async (store) => {
  await store.transact(resetOutbox, [])
  const sizes = [...Array(40).fill(64_000), ...Array(30).fill(10_000_000)]
  const files = sizes.map((size, index) => ({ id: `med_${String(index).padStart(2, '0')}`, size, index }))
  const rows = files.map(({ id, size, index }) => ({
    ...{ id, size, organization_id: 'org_test', sha256: id, created_at: 0, expires_at: index },
  }))
  await store.transact(insertRows, { table: 'media', rows })
  const small = files.filter(({ size }) => size === 64_000)
  await store.transact(insertRows, {
    table: 'small_files',
    rows: small.map(({ id, size }) => ({ media_id: id, bytes: new Uint8Array(size) })),
  })
  const counts: number[] = []
  const elsewhere: string[] = []
  for (let isMore = true; isMore; ) {
    const part = await store.transact(forgetMedia, { now: 1_000, limit: 500 })
    counts.push(part.forgotten)
    elsewhere.push(...part.elsewhere)
    isMore = part.more
  }
  // The larger ones are rows without bytes here, however long they are.
  assert.deepEqual(counts, [15, 15, 40])
  assert.equal(elsewhere.length, 30)
  for (const [table, key] of [
    ['media', 'id'],
    ['small_files', 'media_id'],
  ] as const)
    assert.deepEqual(await store.read(selectRows, { table, columns: [key] }), [])
})
