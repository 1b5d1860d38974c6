import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bothStores } from '../../test/kit/stores/both-stores.ts'
import { outboxFunctions, resetOutbox } from '../../test/kit/stores/outbox-store.ts'
import { createInstance } from '../instances/instance-store.ts'
import type { Store } from '../store/store.ts'
import { housekeeping } from './duties.ts'
import { drainNode, forgetNodes, type NodeOverview, readNodes, renderNode } from './node-overview.ts'
import { joinNode, leaveNode } from './node-store.ts'

const thread = new URL('../../test/kit/stores/outbox-store-thread.ts', import.meta.url)
const kinds = await bothStores(outboxFunctions, thread)

const trustedFor = 13_000
const viewer = { id: 'node_one', trustedFor }

const running: NodeOverview = {
  ...{ id: 'node_two', boot: 'first', beat: 7, seen_at: 100_000, started_at: 50_000, draining: 0 },
  ...{ version: '1.0.0', schema: '', media: 'postgres', now: 100_000, instances: 3 },
  duties: ['organizations/1', 'organizations/2', housekeeping],
}

const statusOf = (changed: Partial<NodeOverview>) => renderNode({ ...running, ...changed }, viewer).status

test('a node is silent once it is not seen for as long as it is trusted, whatever it did before', () => {
  const last = running.seen_at + trustedFor
  assert.equal(statusOf({ now: last - 1 }), 'running')
  assert.equal(statusOf({ now: last - 1, draining: 1 }), 'draining')
  assert.equal(statusOf({ now: last }), 'silent')
  assert.equal(statusOf({ now: last, draining: 1 }), 'silent')
})

test('a node that no process runs is gone, and has no duty, even if none has been taken from it yet', () => {
  const gone = renderNode({ ...running, boot: '', draining: 1, now: running.now + trustedFor }, viewer)
  assert.deepEqual([gone.status, gone.keeps_house, gone.delivery_parts], ['gone', false, 0])
  const { keeps_house, delivery_parts } = renderNode(running, viewer)
  assert.deepEqual([keeps_house, delivery_parts], [true, 2])
})

test('the node that responds is seen by that, though it never beats on a store of its own', () => {
  const own = renderNode({ ...running, id: viewer.id, now: running.now + trustedFor }, viewer)
  assert.deepEqual(
    [own.status, own.last_seen_at, own.responded],
    ['running', new Date(running.now + trustedFor).toISOString(), true],
  )
})

const boot = 'first'

async function createOwned(store: Store, owner: string): Promise<void> {
  await store.transact(resetOutbox, [])
  const instance = {
    ...{ id: 'inst_a', organization_id: 'org_test', name: 'shop', network: 'sandbox', metadata: '{}' },
    ...{
      account_key: null,
      shared_callback: 0,
      settings: '{}',
      credentials: new Uint8Array(),
      created_at: 0,
    },
  }
  const created = await store.transact(createInstance, { instance, limit: null, idempotency: null, owner })
  assert.equal(created.kind, 'created')
}

for (const { name, skip, newPlace } of kinds)
  describe(`a drain, ${name}`, { skip }, () => {
    test('is refused if the only other node was not seen for as long as one is trusted', async () => {
      const store = await (await newPlace())()
      for (const id of ['node_one', 'node_two'])
        await store.transact(joinNode, { id, boot, version: '1', media: 'postgres', started_at: 0 })
      const drain = (trust: number) => store.transact(drainNode, { id: 'node_one', trustedFor: trust })
      assert.equal(await drain(0), 'no_other')
      assert.equal(await drain(60_000), 'done')
    })
  })

for (const { name, skip, newPlace } of kinds)
  describe(`nodes that are gone, ${name}`, { skip }, () => {
    test('are forgotten after a time, unless an instance is still theirs', async () => {
      const store = await (await newPlace())()
      for (const id of ['node_empty', 'node_owner', 'node_running'])
        await store.transact(joinNode, { id, boot, version: '1', media: 'postgres', started_at: 0 })
      await createOwned(store, 'node_owner')
      for (const id of ['node_empty', 'node_owner']) await store.transact(leaveNode, { id, boot })
      const left = async () => (await store.read(readNodes, null)).map(({ id, instances }) => [id, instances])
      const all = [
        ['node_empty', 0],
        ['node_owner', 1],
        ['node_running', 0],
      ]
      assert.equal(await store.transact(forgetNodes, { kept: 60_000 }), 0)
      assert.deepEqual(await left(), all)
      // As if a second had passed, by the clock of the database.
      assert.equal(await store.transact(forgetNodes, { kept: -1_000 }), 1)
      assert.deepEqual(await left(), all.slice(1))
    })
  })
