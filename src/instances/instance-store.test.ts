import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { accepting } from '../../test/kit/stores/accepting.ts'
import { resetOutbox } from '../../test/kit/stores/outbox-store.ts'
import { acceptMessage } from '../messages/outbox/accept/accept.ts'
import { cancelMessage } from '../messages/outbox/sweep/sweep.ts'
import { joinNode } from '../nodes/node-store.ts'
import { openSqliteStore } from '../store/sqlite/sqlite.ts'
import { type Store, serverTurn } from '../store/store.ts'
import { InstanceReader } from './instance-reader.ts'
import { findInstance, orderInstance } from './instance-store.ts'
import { takeOverInstances } from './lifecycle/take-over.ts'

const folder = mkdtempSync(join(tmpdir(), 'posthorn-instances-'))
const organization = 'org_test'
let store: Store

before(async () => {
  const thread = new URL('../../test/kit/stores/outbox-store-thread.ts', import.meta.url)
  store = await openSqliteStore({ file: join(folder, 'test.db'), thread })
  const node = { id: 'node_one', boot: 'first', version: '1', media: 'files', started_at: 0 }
  await store.transact(joinNode, node)
})

after(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

beforeEach(() => store.transact(resetOutbox, [{ id: 'trial', network: 'sandbox' }]))

/** Accepts a message to a recipient of its own at this moment. */
async function accept(id: string, at: number, instance = { id: 'trial', name: 'trial' }): Promise<void> {
  const message = { id, instance_id: instance.id, instance_name: instance.name, recipient: `to-${id}` }
  const args = accepting({ ...message, created_at: at, expires_at: 1e12 })
  const accepted = await store.transact(acceptMessage, args)
  assert.equal(accepted.kind, 'accepted')
}

const cancel = (id: string) =>
  store.transact(cancelMessage, { organizationId: organization, id, instances: null, now: 2_000 })

test('the oldest message that waits is known, for one instance and in the list, however messages come and go', async () => {
  const reader = new InstanceReader(store, { isHeard: () => true })
  const filter = {
    organizationId: organization,
    status: null,
    network: null,
    search: null,
    seen: null,
    limit: 10,
    after: null,
  }
  const oldest = async () => {
    const found = await reader.find(organization, 'trial')
    const { readings } = await reader.list(filter, serverTurn)
    assert.deepEqual(readings[0]?.oldest, found?.oldest)
    return found?.oldest?.at ?? null
  }
  assert.equal(await oldest(), null)
  await accept('msg_1', 1_000)
  assert.equal(await oldest(), 1_000)
  await accept('msg_2', 1_001)
  await accept('msg_3', 1_002)
  assert.equal(await oldest(), 1_000)
  await cancel('msg_2')
  assert.equal(await oldest(), 1_000)
  await cancel('msg_1')
  assert.equal(await oldest(), 1_002)
  await cancel('msg_3')
  assert.equal(await oldest(), null)
})

test('what was ordered last counts at the next start, and says that it was ordered', async () => {
  for (const [wanted, status, code] of [
    ['stopped', 'stopped', 'stop_ordered'],
    ['removed', 'deleting', 'remove_ordered'],
  ] as const) {
    await store.transact(resetOutbox, [{ id: 'trial', network: 'sandbox' }])
    await store.transact(orderInstance, { organization, name: 'trial', wanted, now: 1 })
    const candidates = [{ id: 'trial', organization_id: organization }]
    const recovery = { dedupingNetworks: [], limit: 100 }
    await store.transact(takeOverInstances, { node: 'node_one', now: 2, candidates, ...recovery })
    const found = await store.read(findInstance, { organization, name: 'trial' })
    assert.deepEqual([found?.row.status, JSON.parse(found?.row.reason ?? '{}').code], [status, code])
  }
})

test('an order for an instance that was removed does not reach another one of the same name', async () => {
  await store.transact(resetOutbox, [{ id: 'trial', network: 'sandbox' }])
  const order = (id: string) =>
    store.transact(orderInstance, { organization, name: 'trial', id, wanted: 'stopped', now: 1 })
  assert.deepEqual(await order('the-one-before'), { kind: 'not_found' })
  const found = await store.read(findInstance, { organization, name: 'trial' })
  assert.equal(found?.row.wanted, 'running')
  assert.deepEqual(await order('trial'), { kind: 'ordered', id: 'trial' })
})

test('a search of many instances goes on in short reads, and finds what is far behind', async () => {
  const ids = Array.from({ length: 1_300 }, (_, index) => `i${String(index).padStart(4, '0')}`)
  await store.transact(
    resetOutbox,
    ids.map((id) => ({ id, network: 'sandbox' })),
  )
  const reader = new InstanceReader(store, { isHeard: () => true })
  const filter = { organizationId: organization, status: null, network: null, seen: null, limit: 2 }
  const found: string[] = []
  let reads = 0
  for (let after: string | null = null, isOver = false; !isOver; ) {
    const { readings, next } = await reader.list({ ...filter, search: '1299', after }, serverTurn)
    found.push(...readings.map(({ row }) => row.name))
    after = next
    isOver = next === null
    reads += 1
  }
  assert.deepEqual(found, ['i1299'])
  assert.equal(reads, 3)
})
