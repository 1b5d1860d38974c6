import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { bothStores } from '../../../test/kit/stores/both-stores.ts'
import { inspectOutbox, outboxFunctions, resetOutbox } from '../../../test/kit/stores/outbox-store.ts'
import type { Store } from '../../store/store.ts'
import { eraseInstance, orderInstance } from '../instance-store.ts'
import {
  type CallbackRoom,
  countCallbacks,
  findCallbackOwner,
  forgetHandled,
  keepCallback,
  nextCallbacks,
} from './callback-store.ts'

const thread = new URL('../../../test/kit/stores/outbox-store-thread.ts', import.meta.url)
const plenty = { count: 1_000, bytes: 1_000_000 }
const some = { limit: 10, bytes: 1_000_000 }

for (const kind of await bothStores(outboxFunctions, thread)) {
  describe(`callbacks ${kind.name}`, { skip: kind.skip }, () => {
    let store: Store

    beforeEach(async () => {
      store = await (await kind.newPlace())()
      const instances = ['inst_a', 'inst_b'].map((id) => ({ id, network: 'sandbox' }))
      await store.transact(resetOutbox, instances)
    })

    const keep = (
      id: string,
      { instance = 'inst_a', own = plenty, all = plenty, body = `body of ${id}` } = {} as {
        instance?: string
        own?: CallbackRoom
        all?: CallbackRoom
        body?: string
      },
    ) =>
      store.transact(keepCallback, {
        id,
        instanceId: instance,
        receivedAt: 7,
        body: new TextEncoder().encode(body),
        limits: { instance: own, organization: all },
      })

    const next = async (instance = 'inst_a', args = some) =>
      (await store.read(nextCallbacks, { instance, ...args })).map(({ id }) => id)

    /** Checks that the counts of instances and organizations are those of the rows. */
    async function waiting() {
      const { callbacks, organizations, instances } = await store.read(inspectOutbox, null)
      const sizeOf = (rows: typeof callbacks) => rows.reduce((sum, { size }) => sum + size, 0)
      for (const { id, waiting_callbacks, waiting_callback_bytes } of instances) {
        const own = callbacks.filter(({ instance_id }) => instance_id === id)
        assert.deepEqual([waiting_callbacks, waiting_callback_bytes], [own.length, sizeOf(own)])
      }
      const [organization] = organizations
      const counted = [organization?.waiting_callbacks, organization?.waiting_callback_bytes]
      assert.deepEqual(counted, [callbacks.length, sizeOf(callbacks)])
      assert.deepEqual(await store.read(countCallbacks, null), {
        count: callbacks.length,
        bytes: sizeOf(callbacks),
      })
      return callbacks.length
    }

    test('are kept in order, byte for byte, each instance for itself', async () => {
      const ids = Array.from({ length: 20 }, (_, index) => `cb_${index}`)
      const kept = await Promise.all(
        ids.map((id, index) => keep(id, { instance: index % 2 ? 'inst_b' : 'inst_a' })),
      )
      assert.deepEqual(new Set(kept), new Set(['kept']))
      assert.deepEqual(
        await next('inst_a'),
        ids.filter((_, index) => index % 2 === 0),
      )
      const [first] = await store.read(nextCallbacks, { instance: 'inst_b', ...some })
      assert.equal(Buffer.from(first?.body ?? []).toString(), 'body of cb_1')
      assert.equal(first?.received_at, 7)
      assert.equal(await waiting(), 20)
    })

    test('are deleted once, however often that is asked, also if their number is used again', async () => {
      await keep('cb_1')
      await keep('cb_2')
      const handled = await store.read(nextCallbacks, { instance: 'inst_a', ...some })
      await store.transact(forgetHandled, { instance: 'inst_a', handled })
      await keep('cb_3')
      await store.transact(forgetHandled, { instance: 'inst_a', handled })
      assert.deepEqual(await next(), ['cb_3'])
      assert.equal(await waiting(), 1)
    })

    test('are read a few at a time, one at least', async () => {
      for (const id of ['cb_1', 'cb_2', 'cb_3']) await keep(id, { body: 'x'.repeat(1_000) })
      assert.deepEqual(await next('inst_a', { limit: 2, bytes: 1e6 }), ['cb_1', 'cb_2'])
      assert.deepEqual(await next('inst_a', { limit: 10, bytes: 3_000 }), ['cb_1', 'cb_2'])
      assert.deepEqual(await next('inst_a', { limit: 10, bytes: 1 }), ['cb_1'])
    })

    test('find no room beyond the quotas, neither alone nor in one moment', async () => {
      const together = await Promise.all(
        ['cb_1', 'cb_2', 'cb_3'].map((id) => keep(id, { own: { count: 2, bytes: 1e6 } })),
      )
      assert.deepEqual(together, ['kept', 'kept', 'full'])
      assert.equal(await keep('cb_4', { own: { count: 3, bytes: 700 } }), 'full')
      assert.equal(await keep('cb_5', { instance: 'inst_b', all: { count: 2, bytes: 1e6 } }), 'full')
      assert.equal(await keep('cb_6', { instance: 'inst_b', all: { count: 9, bytes: 700 } }), 'full')
      assert.equal(await keep('cb_7', { instance: 'inst_b' }), 'kept')
      const [first] = await store.read(nextCallbacks, { instance: 'inst_a', ...some })
      await store.transact(forgetHandled, { instance: 'inst_a', handled: first ? [first] : [] })
      assert.equal(await keep('cb_8', { own: { count: 2, bytes: 1e6 } }), 'kept')
      assert.equal(await waiting(), 3)
    })

    test('are refused by an instance that is removed, and go with it', async () => {
      await keep('cb_1')
      await keep('cb_2', { instance: 'inst_b' })
      const removal = { organization: 'org_test', name: 'inst_a', wanted: 'removed', now: 8 } as const
      await store.transact(orderInstance, removal)
      assert.equal(await keep('cb_3'), 'gone')
      assert.equal(await keep('cb_4', { instance: 'inst_none' }), 'gone')
      assert.equal(await store.read(findCallbackOwner, { instance: 'inst_a' }), null)
      await store.transact(eraseInstance, { id: 'inst_a', now: 9, limit: 100 })
      assert.deepEqual(await next(), [])
      assert.equal(await waiting(), 1)
    })
  })
}
