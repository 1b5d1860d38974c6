import assert from 'node:assert/strict'
import { testOnBothStores } from '../../../test/kit/stores/outbox-on-both-stores.ts'
import { resetOutbox } from '../../../test/kit/stores/outbox-store.ts'
import type { InstanceStatus } from '../../contract/resources/instance.ts'
import type { Store } from '../../store/store.ts'
import { recordConnection, recordVerified, replaceCredentials } from '../connection/connection-store.ts'
import { eraseInstance, orderInstance } from '../instance-store.ts'
import { keepCallback } from './callback-store.ts'
import { type BindingResult, claimAccount, findClaimants, type Holder } from './claim-store.ts'
import { findKeptParts, forgetKeptParts, rememberKeptParts } from './kept-parts.ts'

const day = 24 * 60 * 60_000
const account = 'number-1'

/** Instances that are called back at the URL of the operator, and one of another network. */
async function withInstances(store: Store): Promise<void> {
  const networks = { inst_a: 'cloud', inst_b: 'cloud', inst_other: 'elsewhere' }
  await store.transact(
    resetOutbox,
    Object.entries(networks).map(([id, network]) => ({ id, network })),
  )
  for (const id of Object.keys(networks)) await usesSharedCallback(store, id, 1)
}

const usesSharedCallback = (store: Store, id: string, sharedCallback: number) =>
  store.transact(replaceCredentials, {
    organization: 'org_test',
    id,
    credentials: new Uint8Array([1]),
    sharedCallback,
    now: 1,
  })

const claim = async (store: Store, instance: string, now = 1_000, group: string | null = 'business-1') =>
  (await store.transact(claimAccount, { instance, account, group, now })).kind

async function claimants(store: Store): Promise<string[]> {
  const names = [
    { about: 'account', name: account },
    { about: 'group', name: 'business-1' },
    { about: 'account', name: 'business-1' },
  ] as const
  const found = await store.read(findClaimants, { network: 'cloud', names })
  return found.map(({ about, name, instanceId }) => `${about} ${name}: ${instanceId}`).toSorted()
}

const ofA = [`account ${account}: inst_a`, 'group business-1: inst_a']

testOnBothStores('an account goes to the first that claims it, for its own network', async (store) => {
  await withInstances(store)
  assert.equal(await claim(store, 'inst_a'), 'claimed')
  assert.equal(await claim(store, 'inst_b'), 'taken')
  assert.equal(await claim(store, 'inst_a', 2_000), 'claimed')
  assert.equal(await claim(store, 'inst_other'), 'claimed')
  assert.deepEqual(await claimants(store), ofA)
  assert.equal(await claim(store, 'inst_none'), 'gone')
})

testOnBothStores('of many that claim it at the same moment, one has it', async (store) => {
  await withInstances(store)
  const all = await Promise.all(['inst_b', 'inst_a', 'inst_b', 'inst_a'].map((id) => claim(store, id)))
  assert.deepEqual(all, ['claimed', 'taken', 'claimed', 'taken'])
})

testOnBothStores('a group is shared by those who have claimed it with their accounts', async (store) => {
  await withInstances(store)
  await claim(store, 'inst_a')
  await store.transact(claimAccount, {
    instance: 'inst_b',
    account: 'number-2',
    group: 'business-1',
    now: 1_000,
  })
  assert.deepEqual(await claimants(store), [...ofA, 'group business-1: inst_b'])
  assert.equal(await claim(store, 'inst_a', 2_000, null), 'claimed')
  assert.deepEqual(await claimants(store), [ofA[0], 'group business-1: inst_b'])
})

testOnBothStores('an account is free without its instance, and with an app of its own', async (store) => {
  await withInstances(store)
  await claim(store, 'inst_a')
  await usesSharedCallback(store, 'inst_a', 0)
  assert.deepEqual(await claimants(store), [])
  assert.equal(await claim(store, 'inst_a'), 'gone')
  assert.equal(await claim(store, 'inst_b'), 'claimed')
  await store.transact(orderInstance, {
    organization: 'org_test',
    name: 'inst_b',
    wanted: 'removed',
    now: 2_000,
  })
  assert.deepEqual(await claimants(store), [], 'what is posted is for nobody as soon as it is ordered')
  await usesSharedCallback(store, 'inst_a', 1)
  assert.equal(await claim(store, 'inst_a', 3_000), 'claimed')
  await store.transact(eraseInstance, { id: 'inst_b', now: 4_000, limit: 100 })
  assert.deepEqual(await claimants(store), ofA)
})

const holders: Readonly<Record<InstanceStatus, BindingResult['kind']>> = {
  connecting: 'taken',
  awaiting_link: 'taken',
  connected: 'taken',
  reconnecting: 'taken',
  stopped: 'taken',
  logged_out: 'claimed',
  failed: 'claimed',
  deleting: 'taken',
}

testOnBothStores('only an instance that the network refuses loses its account to another', async (store) => {
  for (const [status, expected] of Object.entries(holders) as [InstanceStatus, BindingResult['kind']][]) {
    await withInstances(store)
    await claim(store, 'inst_a')
    const change = { id: 'inst_a', change: { status }, verifiedAt: null, now: 2_000 }
    await store.transact(recordConnection, change)
    assert.equal(await claim(store, 'inst_b', 3_000), expected, status)
    const [holder] = await claimants(store)
    assert.equal(holder, `account ${account}: inst_${expected === 'taken' ? 'a' : 'b'}`)
  }
})

testOnBothStores('a claim lasts a week after its last proof', async (store) => {
  await withInstances(store)
  await claim(store, 'inst_a', day)
  assert.equal(await claim(store, 'inst_b', 8 * day - 1), 'taken')
  await store.transact(recordVerified, { id: 'inst_a', at: 3 * day, nothingMissing: true })
  assert.equal(await claim(store, 'inst_b', 10 * day - 1), 'taken')
  assert.equal(await claim(store, 'inst_b', 10 * day), 'claimed')
  assert.equal(await claim(store, 'inst_a', 10 * day), 'taken')
})

testOnBothStores(
  'a holder that could not prove it again loses it, unless it claims it meanwhile',
  async (store) => {
    await withInstances(store)
    await claim(store, 'inst_a')
    const challenge = (refuted?: Holder) =>
      store.transact(claimAccount, {
        instance: 'inst_b',
        account,
        group: null,
        now: 3_000,
        ...(refuted && { refuted }),
      })
    const first = await challenge()
    assert.deepEqual(first, { kind: 'taken', by: { instance: 'inst_a', claimedAt: 1_000 } })
    await claim(store, 'inst_a', 2_000)
    const again = { kind: 'taken', by: { instance: 'inst_a', claimedAt: 2_000 } } as const
    assert.deepEqual(await challenge(first.by), again)
    assert.deepEqual(await challenge({ ...again.by, instance: 'inst_other' }), again)
    assert.deepEqual(await challenge(again.by), { kind: 'claimed', from: 'inst_a' })
    assert.deepEqual(await claimants(store), [`account ${account}: inst_b`])
  },
)

testOnBothStores('what the former credentials have proven is not proven of the new ones', async (store) => {
  await withInstances(store)
  await claim(store, 'inst_a')
  await usesSharedCallback(store, 'inst_a', 1)
  assert.deepEqual(await claimants(store), ofA, 'until somebody else claims it, nothing is lost')
  const challenge = { instance: 'inst_b', account, group: null, now: 2_000 }
  const refuted = { instance: 'inst_a', claimedAt: null }
  assert.deepEqual(await store.transact(claimAccount, challenge), { kind: 'taken', by: refuted })
  const won = await store.transact(claimAccount, { ...challenge, refuted })
  assert.deepEqual(won, { kind: 'claimed', from: 'inst_a' })
})

testOnBothStores(
  'nothing is stored for an instance that has lost its claim since it was looked up',
  async (store) => {
    await withInstances(store)
    await claim(store, 'inst_a')
    const keep = (instanceId: string, about: 'account' | 'group', name: string) =>
      store.transact(keepCallback, {
        id: `cb_${instanceId}_${about}`,
        instanceId,
        receivedAt: 7,
        body: new Uint8Array([1]),
        limits: { instance: { count: 9, bytes: 9_999 }, organization: { count: 9, bytes: 9_999 } },
        claimed: { about, name },
      })
    const results = async () =>
      await Promise.all([
        keep('inst_a', 'account', account),
        keep('inst_a', 'group', 'business-1'),
        keep('inst_b', 'account', account),
        keep('inst_b', 'group', 'business-1'),
      ])
    assert.deepEqual(await results(), ['kept', 'kept', 'gone', 'gone'])
    const moved = { instance: 'inst_b', account, group: 'business-1', now: 2_000 }
    await store.transact(claimAccount, { ...moved, refuted: { instance: 'inst_a', claimedAt: 1_000 } })
    const [ofFirst, groupOfFirst] = await results()
    assert.deepEqual([ofFirst, groupOfFirst], ['gone', 'gone'])
    assert.equal(await keep('inst_a', 'group', account), 'gone')
  },
)

testOnBothStores('parts are remembered by instance, only so many, and for a time', async (store) => {
  await withInstances(store)
  const part = (instance: string, digest: string) => ({ instance, digest })
  const all = ['one', 'two', 'three'].flatMap((digest) => [part('inst_a', digest), part('inst_b', digest)])
  const known = async () =>
    (await store.read(findKeptParts, { parts: all }))
      .map(({ instance, digest }) => `${instance} ${digest}`)
      .toSorted()
  const first = [part('inst_a', 'one'), part('inst_b', 'two')]
  await store.transact(rememberKeptParts, { parts: [...first, ...first], limit: 2, now: 1_000 })
  assert.deepEqual(await known(), ['inst_a one', 'inst_b two'])
  const second = ['one', 'two', 'three'].map((digest) => part('inst_a', digest))
  await store.transact(rememberKeptParts, { parts: second, limit: 2, now: 2_000 })
  assert.equal((await known()).filter((one) => one.startsWith('inst_a')).length, 2)
  assert.equal(await store.transact(forgetKeptParts, { before: 2_000, limit: 1 }), 1)
  assert.equal(await store.transact(forgetKeptParts, { before: 2_000, limit: 10 }), 1)
  await store.transact(eraseInstance, { id: 'inst_a', now: 9, limit: 100 })
  assert.deepEqual(await known(), [])
})
