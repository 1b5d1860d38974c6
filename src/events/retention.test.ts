import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bothStores } from '../../test/kit/stores/both-stores.ts'
import {
  createOrganizations,
  journalFunctions,
  readDeliveries,
  readJournal,
  writeDeliveries,
  writeEvents,
} from '../../test/kit/stores/journal-store.ts'
import type { Store } from '../store/store.ts'
import { lookAtFeed } from './feed.ts'
import { forgetDeliveries, forgetEvents } from './retention.ts'
import { createWebhook, deleteWebhook } from './webhook-store.ts'

const thread = new URL('../../test/kit/stores/journal-store-thread.ts', import.meta.url)

/** Writes one event at each of these moments. */
async function writeAt(store: Store, organization: string, moments: readonly number[]): Promise<void> {
  for (const now of moments) {
    const events = [{ type: 'message.queued' as const, instance: null, data: {} }]
    await store.transact(writeEvents, { organization, now, events })
  }
}

/** The webhook that the deliveries are for. */
async function createTheWebhook(store: Store): Promise<void> {
  await store.transact(createOrganizations, ['org_a'])
  const webhook = {
    id: 'wh_1',
    organization_id: 'org_a',
    url: 'https://example.org/hook',
    event_types: null,
    instance_names: null,
    ordering: 'none' as const,
    secret: new Uint8Array(32),
    created_at: 0,
  }
  await store.transact(createWebhook, { webhook, limit: null })
}

async function kept(store: Store): Promise<string[]> {
  const { events } = await store.read(readJournal, null)
  return events.map(({ organization_id, sequence }) => `${organization_id} ${sequence}`)
}

for (const { name, skip, newPlace } of await bothStores(journalFunctions, thread)) {
  describe(`events whose time is over, ${name}`, { skip }, () => {
    test('are forgotten, whoever they belong to, and no other', async () => {
      const store = await (await newPlace())()
      await store.transact(createOrganizations, ['org_a', 'org_b'])
      await writeAt(store, 'org_a', [10, 20])
      await writeAt(store, 'org_b', [20])
      await writeAt(store, 'org_a', [30])
      await writeAt(store, 'org_b', [31])
      assert.equal((await store.transact(forgetEvents, { before: 10, limit: 100, after: '' })).forgotten, 0)
      assert.equal((await store.transact(forgetEvents, { before: 30, limit: 100, after: '' })).forgotten, 3)
      assert.deepEqual(await kept(store), ['org_a 3', 'org_b 2'])
    })

    test('go a few at a time, the oldest first', async () => {
      const store = await (await newPlace())()
      await store.transact(createOrganizations, ['org_a'])
      await writeAt(store, 'org_a', [1, 2, 3, 4, 5])
      assert.equal((await store.transact(forgetEvents, { before: 5, limit: 3, after: '' })).forgotten, 3)
      assert.deepEqual(await kept(store), ['org_a 4', 'org_a 5'])
      assert.equal((await store.transact(forgetEvents, { before: 5, limit: 3, after: '' })).forgotten, 1)
      assert.equal((await store.transact(forgetEvents, { before: 5, limit: 3, after: '' })).forgotten, 0)
    })

    test('that were appended together go together, even if they are more than a few', async () => {
      const store = await (await newPlace())()
      await store.transact(createOrganizations, ['org_a', 'org_b'])
      const write = (organization: string, now: number, count: number) => {
        const events = Array.from({ length: count }, (_, data) => {
          return { type: 'message.queued' as const, instance: 'trial', data: { data } }
        })
        return store.transact(writeEvents, { organization, now, events })
      }
      await write('org_a', 1, 5)
      await write('org_a', 1, 2)
      await write('org_a', 2, 3)
      await write('org_b', 1, 1)
      const forget = async (limit: number) => {
        const { forgotten, next } = await store.transact(forgetEvents, { before: 2, limit, after: '' })
        const places = { organization: 'org_a', types: null, instances: null, seen: null, limit: 100 }
        const looked = await store.read(lookAtFeed, { ...places, after: 'oldest' })
        const lost = await store.read(lookAtFeed, { ...places, after: 4 })
        assert.ok('rows' in looked)
        return [forgotten, next, looked.rows.map(({ sequence }) => sequence), 'lost' in lost && lost.lost]
      }
      // There is more to forget, also in the other organization.
      assert.deepEqual(await forget(3), [5, '', [6, 7, 8, 9, 10], 'removed'])
      assert.deepEqual(await forget(2), [2, '', [8, 9, 10], 'removed'])
      assert.deepEqual(await forget(100), [1, null, [8, 9, 10], 'removed'])
      assert.deepEqual(await kept(store), ['org_a 8', 'org_a 9', 'org_a 10'])
    })

    test('stay while a younger one comes before them in their organization', async () => {
      const store = await (await newPlace())()
      await store.transact(createOrganizations, ['org_a', 'org_b'])
      await writeAt(store, 'org_a', [10, 50])
      // The clock of the machine was set back.
      await writeAt(store, 'org_b', [20])
      await writeAt(store, 'org_a', [20, 60])
      assert.equal((await store.transact(forgetEvents, { before: 40, limit: 100, after: '' })).forgotten, 2)
      assert.deepEqual(await kept(store), ['org_a 2', 'org_a 3', 'org_a 4'])
    })

    test('may be all of them: the numbers go on', async () => {
      const store = await (await newPlace())()
      await store.transact(createOrganizations, ['org_a'])
      await writeAt(store, 'org_a', [1, 2])
      assert.equal((await store.transact(forgetEvents, { before: 100, limit: 100, after: '' })).forgotten, 2)
      await writeAt(store, 'org_a', [3])
      assert.deepEqual(await kept(store), ['org_a 3'])
    })
  })

  describe(`deliveries whose time is over, ${name}`, { skip }, () => {
    const settled = (id: string, at: number) => ({ id, at, status: 'delivered' as const })

    test('are forgotten with their attempts once they are settled, a few at a time, past those that are not', async () => {
      const store = await (await newPlace())()
      await createTheWebhook(store)
      await store.transact(writeDeliveries, [
        settled('dlv_1', 10),
        { id: 'dlv_2', at: 11, status: 'pending' },
        { id: 'dlv_3', at: 12, status: 'pending' },
        { id: 'dlv_4', at: 13, status: 'failed' },
        settled('dlv_5', 14),
        settled('dlv_6', 40),
      ])
      const old = { before: 40, limit: 2 }
      let after: number | null = 0
      const left: string[][] = []
      while (after !== null) {
        after = await store.transact(forgetDeliveries, { ...old, after })
        const { deliveries, attempts } = await store.read(readDeliveries, null)
        assert.deepEqual(attempts, deliveries)
        left.push(deliveries)
      }
      const all = ['dlv_2', 'dlv_3', 'dlv_4', 'dlv_5', 'dlv_6']
      assert.deepEqual(left, [all, all.toSpliced(2, 1), all.toSpliced(2, 2)])
    })

    test('are forgotten, settled or not, if their webhook was removed', async () => {
      const store = await (await newPlace())()
      await createTheWebhook(store)
      await store.transact(writeDeliveries, [
        { id: 'dlv_1', at: 10, status: 'pending' },
        settled('dlv_2', 11),
        { id: 'dlv_3', at: 40, status: 'pending' },
      ])
      await store.transact(deleteWebhook, { organization: 'org_a', id: 'wh_1' })
      await store.transact(forgetDeliveries, { before: 40, limit: 100, after: 0 })
      const { deliveries, attempts } = await store.read(readDeliveries, null)
      assert.deepEqual([deliveries, attempts], [['dlv_3'], ['dlv_3']])
    })
  })
}
