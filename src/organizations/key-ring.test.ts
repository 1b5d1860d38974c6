import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, beforeEach, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { freshFolder, testConfig } from '../../test/kit/posthorn.ts'
import type { Caller } from '../contract/handler.ts'
import { openStore } from '../gateway/open-store.ts'
import type { Clock } from '../runtime/clock.ts'
import { newId } from '../runtime/ids.ts'
import type { Store } from '../store/store.ts'
import { KeyRing } from './key-ring.ts'
import { createApiKey, listApiKeys, type NewApiKey, revokeApiKey } from './key-store.ts'
import { newApiKey } from './keys.ts'
import { createOrganization } from './organization-store.ts'

const data = freshFolder()
let store: Store
let now = 0
let ring: KeyRing
const clock: Clock = { now: () => now, monotonic: () => now }
const organizationId = newId('org')

before(async () => {
  store = await openStore(testConfig(data))
  await store.transact(createOrganization, { id: organizationId, name: 'acme', created_at: 1 })
})

after(async () => {
  await store.close()
  rmSync(data, { recursive: true, force: true })
})

beforeEach(() => {
  now = 10_000
  ring = new KeyRing(store, clock)
})

async function identified(key: string): Promise<Caller> {
  const caller = await ring.identify(key)
  return caller && caller !== 'expired' ? caller : assert.fail(String(caller))
}

async function issue(role: 'admin' | 'send' | 'read', limits: Partial<NewApiKey> = {}) {
  const { key, digest, hint } = newApiKey()
  const id = newId('key')
  const row = { id, organization_id: organizationId, digest, hint, role, created_at: 1, ...limits }
  assert.equal((await store.transact(createApiKey, { key: row })).kind, 'created')
  return { id, key }
}

test('a key tells its organization, its id and its role', async () => {
  const { id, key } = await issue('send')
  const caller = { organizationId, keyId: id, keyHint: key.slice(4, 10), role: 'send', instances: null }
  assert.deepEqual(await ring.identify(key), caller)
})

test('two keys of an organization live side by side, and one goes on when the other is revoked', async () => {
  const [old, next] = [await issue('admin'), await issue('admin')]
  await store.transact(revokeApiKey, { id: old.id, now })
  assert.equal(await ring.identify(old.key), undefined)
  assert.equal((await identified(next.key)).keyId, next.id)
})

test('a revoked key is believed for a second at most', async () => {
  const { id, key } = await issue('admin')
  assert.ok(await ring.identify(key))
  await store.transact(revokeApiKey, { id, now })
  now += 999
  assert.ok(await ring.identify(key))
  now += 1
  assert.equal(await ring.identify(key), undefined)
})

test('a key expires to the millisecond, although it is believed for a second', async () => {
  const { key } = await issue('admin', { expires_at: now + 500 })
  now += 499
  assert.equal((await identified(key)).role, 'admin')
  now += 1
  assert.equal(await ring.identify(key), 'expired')
  now += 5_000
  assert.equal(await ring.identify(key), 'expired')
})

test('a key that expired and was revoked is like one that never was', async () => {
  const { id, key } = await issue('admin', { expires_at: now })
  assert.equal(await ring.identify(key), 'expired')
  await store.transact(revokeApiKey, { id, now })
  now += 1_000
  assert.equal(await ring.identify(key), undefined)
})

test('a key that is forgotten when it was revoked is refused at once, even if it was being looked up', async () => {
  const revoked = await issue('send')
  await identified(revoked.key)
  await store.transact(revokeApiKey, { id: revoked.id, now })
  ring.forget(revoked.id)
  assert.equal(await ring.identify(revoked.key), undefined)

  const { id, key } = await issue('send')
  const read = Promise.withResolvers<void>()
  const slow = {
    async read(...asked: Parameters<Store['read']>) {
      const row = await store.read(...asked)
      await read.promise
      return row
    },
    transact: store.transact.bind(store),
  } as Store
  ring = new KeyRing(slow, clock)
  const underway = ring.identify(key)
  await store.transact(revokeApiKey, { id, now })
  ring.forget(id)
  read.resolve()
  await underway
  assert.equal(await ring.identify(key), undefined)
})

test('a key that was revoked while it asked for another creates none', async () => {
  const { id: creator } = await issue('admin')
  await store.transact(revokeApiKey, { id: creator, now })
  const { digest, hint } = newApiKey()
  const of = { organization_id: organizationId, role: 'admin' as const, created_at: now }
  const key = { id: newId('key'), digest, hint, ...of }
  assert.deepEqual(await store.transact(createApiKey, { key, creator }), { kind: 'creator_revoked' })
  assert.ok((await store.read(listApiKeys, { organization: null })).every(({ id }) => id !== key.id))
})

test('a key tells the instances that it is limited to', async () => {
  const { key } = await issue('read', { instance_names: '["shop","desk"]' })
  assert.deepEqual((await identified(key)).instances, ['shop', 'desk'])
})

test('when a key was last used is kept to the hour, and costs a write an hour', async () => {
  const { id, key } = await issue('read')
  const lastUse = async () =>
    (await store.read(listApiKeys, { organization: null })).find((one) => one.id === id)?.last_used_at
  const noted = async (at: number) => {
    while ((await lastUse()) !== at) await setImmediate()
  }
  assert.equal(await lastUse(), null)
  const first = now
  await identified(key)
  await noted(first)
  now += 60 * 60_000
  await identified(key)
  assert.equal(await lastUse(), first)
  now += 1_000
  await identified(key)
  await noted(now)
})

test('being asked does not lengthen the second', async () => {
  const { id, key } = await issue('admin')
  assert.ok(await ring.identify(key))
  await store.transact(revokeApiKey, { id, now })
  for (let step = 0; step < 9; step++) {
    now += 100
    assert.ok(await ring.identify(key))
  }
  now += 100
  assert.equal(await ring.identify(key), undefined)
})

test('a key that was not found is asked for again, so that a new one works at once', async () => {
  const { key, digest, hint } = newApiKey()
  assert.equal(await ring.identify(key), undefined)
  const of = { organization_id: organizationId, role: 'read' as const, created_at: 1 }
  await store.transact(createApiKey, { key: { id: newId('key'), digest, hint, ...of } })
  assert.equal((await identified(key)).role, 'read')
})

test('a malformed key is refused without asking the store', async () => {
  const closed = await openStore(testConfig(data))
  await closed.close()
  const { key } = newApiKey()
  const blind = new KeyRing(closed, clock)
  for (const text of ['', 'phk_', key.slice(0, -1), `${key}0`, key.toUpperCase()])
    assert.equal(await blind.identify(text), undefined)
  await assert.rejects(blind.identify(key))
})

test('a living key is known while the store is away, for the rest of its second', async () => {
  const { key } = await issue('read')
  const passing = await openStore(testConfig(data))
  const own = new KeyRing(passing, clock)
  assert.ok(await own.identify(key))
  await passing.close()
  assert.ok(await own.identify(key))
  now += 1_000
  await assert.rejects(own.identify(key))
})
