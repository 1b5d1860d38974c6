import assert from 'node:assert/strict'
import { testOnBothStores } from '../../../test/kit/stores/outbox-on-both-stores.ts'
import { inspectContacts, inspectOutbox, resetOutbox } from '../../../test/kit/stores/outbox-store.ts'
import type { Store } from '../../store/store.ts'
import { receiveMessages } from '../inbox/inbox.ts'
import { incomingMessage } from '../inbox/incoming-message.ts'
import { beginForgetting } from './begin-forgetting.ts'
import { forgetPerson, nextToForget } from './forget-person.ts'

const now = 1_700_000_000_000
const beginning = { instance: '', address: '' }

async function write(store: Store, id: string): Promise<void> {
  const said = { network_message_id: id, from: 'ana', conversation: 'ana', at: now, text: `Text ${id}` }
  const message = incomingMessage({ kind: 'message-received', file: null, ...said }, now)
  const messages = [message ?? assert.fail('nothing is kept')]
  await store.transact(receiveMessages, { instanceId: 'inst_a', messages, mark: null, limit: null, now })
}

const order = (store: Store) =>
  store.transact(beginForgetting, {
    ...{ organizationId: 'org_test', instanceName: 'inst_a', instance: 'inst_a', address: 'ana' },
    ...{ seen: null, now, audit: undefined },
  })

const next = async (store: Store) => (await store.read(nextToForget, beginning)) ?? assert.fail('all is done')

const texts = async (store: Store) =>
  (await store.read(inspectOutbox, null)).messages.map(({ text, forgotten }) => (forgotten ? null : text))

testOnBothStores(
  'a second order to forget a person counts, though it comes between a look and the step that ends the first',
  async (store) => {
    await store.transact(resetOutbox, [{ id: 'inst_a', network: 'sandbox' }])
    await write(store, 'n-1')
    await order(store)
    const first = await next(store)
    await write(store, 'n-2')
    await order(store)
    assert.equal(await store.transact(forgetPerson, { ...first, now }), false)
    assert.equal(await store.transact(forgetPerson, { ...(await next(store)), now }), true)
    assert.deepEqual(await texts(store), [null, null])
    assert.equal(await store.read(nextToForget, beginning), null)
  },
)

testOnBothStores(
  'a step that is made twice, as when its first answer was lost, counts the person out once',
  async (store) => {
    await store.transact(resetOutbox, [{ id: 'inst_a', network: 'sandbox' }])
    await write(store, 'n-1')
    await order(store)
    const step = { ...(await next(store)), now }
    for (const isDone of [true, false]) assert.equal(await store.transact(forgetPerson, step), isDone)
    const { addresses, counts, organizations } = await store.read(inspectContacts, null)
    assert.deepEqual(addresses, [])
    assert.deepEqual(counts, [{ id: 'inst_a', contact_addresses: 0 }])
    assert.deepEqual(organizations, [{ contact_addresses: 0 }])
  },
)
