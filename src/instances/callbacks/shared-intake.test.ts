import assert from 'node:assert/strict'
import { testOnBothStores } from '../../../test/kit/stores/outbox-on-both-stores.ts'
import { inspectOutbox, resetOutbox } from '../../../test/kit/stores/outbox-store.ts'
import type { CallbackPart } from '../../networks/driver/abilities/callbacks.ts'
import { silentLog } from '../../runtime/log.ts'
import type { Store } from '../../store/store.ts'
import { replaceCredentials } from '../connection/connection-store.ts'
import { orderInstance } from '../instance-store.ts'
import { keepCallback } from './callback-store.ts'
import { claimAccount } from './claim-store.ts'
import { SharedIntake } from './shared-intake.ts'

const parts: readonly CallbackPart[] = [
  { about: 'account', name: 'number-1', body: Buffer.from('to the number') },
  { about: 'group', name: 'business-1', body: Buffer.from('to the business') },
]

/** The number and its business belong to inst_a; the business to inst_c, too. */
async function withClaims(store: Store): Promise<void> {
  const ids = ['inst_a', 'inst_b', 'inst_c']
  await store.transact(
    resetOutbox,
    ids.map((id) => ({ id, network: 'cloud' })),
  )
  for (const id of ids)
    await store.transact(replaceCredentials, {
      organization: 'org_test',
      id,
      credentials: new Uint8Array([1]),
      sharedCallback: 1,
      now: 1,
    })
  for (const [instance, account] of [
    ['inst_a', 'number-1'],
    ['inst_c', 'number-2'],
  ] as const)
    await store.transact(claimAccount, { instance, account, group: 'business-1', now: 1_000 })
}

/** Posts the parts. Each time before one is stored, `meanwhile` happens. */
async function post(store: Store, meanwhile: (instanceId: string) => Promise<unknown>) {
  const results: string[] = []
  const intake = new SharedIntake({
    store: {
      ...store,
      read: (query, args) => store.read(query, args),
      transact: async (transaction, args) => {
        if ((transaction as { name: string }).name === keepCallback.name)
          await meanwhile((args as { instanceId: string }).instanceId)
        return store.transact(transaction, args)
      },
    },
    clock: { now: () => 5, monotonic: () => 5 },
    log: silentLog,
    limits: { instance: { count: 9, bytes: 9_999 }, organization: { count: 9, bytes: 9_999 } },
    supervisor: { wakeCallbacks: () => {} },
    metrics: { countCallbacks: (result, count) => void results.push(`${count} ${result}`) },
  })
  const shared = {
    verify: () => ({ kind: 'keep' as const }),
    isUsedBy: () => true,
    split: () => parts,
    verifyAccount: () => assert.fail('it is not asked who has an account'),
  }
  const request = { method: 'POST', query: {}, headers: {}, rawBody: Buffer.of() } as const
  const { kind } = await intake.receive({ network: 'cloud', shared }, request, () => {})
  const { callbacks } = await store.read(inspectOutbox, null)
  const stored = callbacks.map(({ instance_id, body }) => `${instance_id}: ${Buffer.from(body)}`).toSorted()
  return { kind, stored, results: results.toSorted() }
}

const move = (store: Store, from: string, to: string) =>
  store.transact(claimAccount, {
    instance: to,
    account: 'number-1',
    group: 'business-1',
    now: 1_000,
    refuted: { instance: from, claimedAt: 1_000 },
  })

testOnBothStores('a part goes to whoever has the number when it is stored', async (store) => {
  await withClaims(store)
  const answer = await post(store, () => move(store, 'inst_a', 'inst_b'))
  assert.deepEqual(answer, {
    kind: 'keep',
    stored: ['inst_b: to the business', 'inst_b: to the number', 'inst_c: to the business'],
    results: ['3 kept'],
  })
})

testOnBothStores('a part about an instance that is removed meanwhile is for nobody', async (store) => {
  await withClaims(store)
  const answer = await post(store, () =>
    store.transact(orderInstance, {
      organization: 'org_test',
      name: 'inst_a',
      wanted: 'removed',
      now: 2_000,
    }),
  )
  assert.deepEqual(answer, {
    kind: 'keep',
    stored: ['inst_c: to the business'],
    results: ['1 kept', '1 unclaimed'],
  })
})

testOnBothStores('the network repeats a part about a number that does not come to rest', async (store) => {
  await withClaims(store)
  const answer = await post(store, async (instanceId) => {
    if (instanceId === 'inst_a') await move(store, 'inst_a', 'inst_b')
    if (instanceId === 'inst_b') await move(store, 'inst_b', 'inst_a')
  })
  const results = ['1 kept', '2 gone']
  assert.deepEqual(answer, { kind: 'full', stored: ['inst_c: to the business'], results })
  const again = await post(store, async () => {})
  assert.deepEqual(again, {
    kind: 'keep',
    stored: ['inst_a: to the business', 'inst_a: to the number', 'inst_c: to the business'],
    results: ['1 repeated', '2 kept'],
  })
})
