import assert from 'node:assert/strict'
import { testOnBothStores } from '../../test/kit/stores/outbox-on-both-stores.ts'
import { insertRows, resetOutbox, selectRows } from '../../test/kit/stores/outbox-store.ts'
import { noteBackup } from './audit-log.ts'

testOnBothStores('a backup is noted for a few organizations at a time, once for each', async (store) => {
  await store.transact(resetOutbox, [])
  const ids = Array.from({ length: 24 }, (_, number) => `org_${String(number).padStart(2, '0')}`)
  const rows = ids.map((id) => ({ id, name: id, created_at: 0 }))
  await store.transact(insertRows, { table: 'organizations', rows })
  const noted = async () =>
    (await store.read(selectRows, { table: 'audit', columns: ['organization_id'] })).length
  const counts: number[] = []
  for (let after: string | null = ''; after !== null; counts.push(await noted()))
    after = await store.transact(noteBackup, { now: 1, after, limit: 10 })
  assert.deepEqual(counts, [10, 20, 25])
  const entries = await store.read(selectRows, { table: 'audit', columns: ['organization_id', 'action'] })
  assert.deepEqual(
    entries.map((row) => Object.values(row)),
    [...ids, 'org_test'].map((id) => [id, 'backup']),
  )
})
