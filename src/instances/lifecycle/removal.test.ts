import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bothStores } from '../../../test/kit/stores/both-stores.ts'
import {
  inspectKeys,
  inspectOutbox,
  outboxFunctions,
  resetOutbox,
} from '../../../test/kit/stores/outbox-store.ts'
import { systemClock } from '../../runtime/clock.ts'
import type { Store, TransactionFunction } from '../../store/store.ts'
import { keepCallback } from '../callbacks/callback-store.ts'
import { findKeptParts, forgetKeptParts, rememberKeptParts } from '../callbacks/kept-parts.ts'
import { findInstance, orderInstance } from '../instance-store.ts'
import { setKeys } from '../keys/key-store.ts'
import { erase } from './removal.ts'

const thread = new URL('../../../test/kit/stores/outbox-store-thread.ts', import.meta.url)
const organization = 'org_test'
/** More of each kind than one part of a removal takes. */
const many = 450
const numbers = Array.from({ length: many }, (_, number) => number)

const plenty = { count: 100_000, bytes: 100_000_000 }
const parts = numbers.map((number) => ({ instance: 'inst_a', digest: `digest ${number}` }))

/** Gives an instance callbacks, one of them large, parts of shared ones, and keys, and orders its removal. */
async function furnish(store: Store): Promise<void> {
  await store.transact(
    resetOutbox,
    ['inst_a', 'inst_b'].map((id) => ({ id, network: 'sandbox' })),
  )
  const callback = (number: number, instanceId = 'inst_a') =>
    store.transact(keepCallback, {
      id: `cb_${instanceId}_${number}`,
      instanceId,
      receivedAt: 7,
      body: new Uint8Array(number === 3 ? 3_000_000 : 50),
      limits: { instance: plenty, organization: plenty },
    })
  await Promise.all(numbers.map((number) => callback(number)))
  await callback(0, 'inst_b')
  await store.transact(rememberKeptParts, { parts, limit: many, now: 7 })
  const changes = numbers.map((number) => ({
    type: 'session',
    id: `key ${number}`,
    value: new Uint8Array([1]),
    expires_at: null,
  }))
  await store.transact(setKeys, { instance: 'inst_a', owner: 0, limit: many, changes })
  await store.transact(orderInstance, { organization, name: 'inst_a', wanted: 'removed', now: 8 })
}

/** Everything that is kept for the instance; the counts of callbacks must be those of the rows. */
async function kept(store: Store): Promise<number> {
  const { callbacks, instances, organizations } = await store.read(inspectOutbox, null)
  for (const { id, waiting_callbacks, waiting_callback_bytes } of instances) {
    const own = callbacks.filter(({ instance_id }) => instance_id === id)
    const bytes = own.reduce((sum, { size }) => sum + size, 0)
    assert.deepEqual([waiting_callbacks, waiting_callback_bytes], [own.length, bytes])
  }
  assert.equal(organizations[0]?.waiting_callbacks, callbacks.length)
  const { keys } = await store.read(inspectKeys, null)
  const digests = await store.read(findKeptParts, { parts })
  return callbacks.filter(({ instance_id }) => instance_id === 'inst_a').length + keys.length + digests.length
}

for (const kind of await bothStores(outboxFunctions, thread)) {
  describe(`removing an instance that much is kept for, ${kind.name}`, { skip: kind.skip }, () => {
    test('takes many short transactions, between which others have their turns, and goes on after the server ended', async () => {
      const store = await (await kind.newPlace())()
      await furnish(store)
      let calls = 0
      let endsAfter = 3
      const parted = {
        async transact<A, R>(transaction: TransactionFunction<A, R>, args: A): Promise<R> {
          if (calls === endsAfter) throw new Error('the server ends')
          calls++
          const before = await kept(store)
          const answer = await store.transact(transaction, args)
          const removed = before - (await kept(store))
          assert.ok(removed <= 200, `${removed} rows went in one transaction`)
          return answer
        },
      } as Store
      const context = { store: parted, clock: systemClock }
      await assert.rejects(erase(context, 'inst_a'), /the server ends/)
      const found = await store.read(findInstance, { organization, name: 'inst_a' })
      assert.equal(found?.row.wanted, 'removed')
      assert.ok((await kept(store)) > 0)
      endsAfter = Number.POSITIVE_INFINITY
      await erase(context, 'inst_a')
      await erase(context, 'inst_a')
      assert.equal(await kept(store), 0)
      assert.ok(calls >= 7, `${calls} transactions`)
      const { callbacks, instances, events } = await store.read(inspectOutbox, null)
      assert.deepEqual(
        instances.map(({ id }) => id),
        ['inst_b'],
      )
      assert.equal(callbacks.length, 1)
      assert.deepEqual(
        events.map(({ type }) => type),
        ['instance.deleted'],
      )
      assert.equal(await store.transact(forgetKeptParts, { before: 100, limit: 10 }), 0)
    })
  })
}
