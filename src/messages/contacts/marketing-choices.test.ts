import assert from 'node:assert/strict'
import { testOnBothStores } from '../../../test/kit/stores/outbox-on-both-stores.ts'
import { resetOutbox } from '../../../test/kit/stores/outbox-store.ts'
import { eraseInstance, orderInstance } from '../../instances/instance-store.ts'
import type { Store } from '../../store/store.ts'
import { recordChoice } from '../marketing/choose.ts'
import { findTemplateFacts } from '../marketing/opted-out.ts'
import type { ContactTold } from './contact.ts'
import { forgetOldContacts } from './forget-contacts.ts'
import { recordContacts } from './record-contacts.ts'

const now = 1_700_000_000_000

const begin = (store: Store) => store.transact(resetOutbox, [{ id: 'inst_a', network: 'sandbox' }])

const tell = (store: Store, told: Partial<ContactTold>, at = now) =>
  store.transact(recordContacts, {
    instanceId: 'inst_a',
    contacts: [{ told: { addresses: [], wroteAt: null, ...told }, at }],
    limit: null,
  })

const optOut = (store: Store, address: string) =>
  store.transact(recordChoice, {
    instanceId: 'inst_a',
    address,
    chosen: { choice: 'opted_out', source: 'stop_word', changed_at: now },
    now,
    limit: null,
  })

const isOut = async (store: Store, address: string) => {
  const asked = { instance: 'inst_a', address, name: 'sale', language: 'en' }
  return (await store.read(findTemplateFacts, asked)).isOptedOut
}

testOnBothStores(
  'a choice is for all addresses of a person, those that become known later, too',
  async (store) => {
    await begin(store)
    await tell(store, { addresses: ['A', '+1'] })
    await optOut(store, '+1')
    await tell(store, { addresses: ['A', '+2'] })
    assert.deepEqual(await Promise.all(['A', '+1', '+2', 'B'].map((address) => isOut(store, address))), [
      true,
      true,
      true,
      false,
    ])
  },
)

testOnBothStores(
  'a choice stays when the person is forgotten, under each of their addresses',
  async (store) => {
    await begin(store)
    await tell(store, { addresses: ['A', '+1'] })
    await optOut(store, 'A')
    await tell(store, { addresses: ['A', '+2'] })
    await store.transact(forgetOldContacts, {
      before: now + 1,
      after: { instance: '', address: '' },
      limit: 10,
    })
    assert.deepEqual(await Promise.all(['A', '+1', '+2'].map((address) => isOut(store, address))), [
      true,
      true,
      true,
    ])
  },
)

testOnBothStores('a number that passes to another person takes no choice along', async (store) => {
  await begin(store)
  await tell(store, { addresses: ['A', '+1'] })
  await optOut(store, 'A')
  await tell(store, { addresses: ['B', '+1'] })
  assert.deepEqual(await Promise.all(['A', '+1', 'B'].map((address) => isOut(store, address))), [
    true,
    false,
    false,
  ])
})

testOnBothStores('what is kept is counted, and goes with the instance', async (store) => {
  await begin(store)
  await tell(store, { addresses: ['A', '+1'] })
  await optOut(store, 'A')
  await optOut(store, 'A')
  await store.transact(orderInstance, { organization: 'org_test', name: 'inst_a', wanted: 'removed', now })
  let rounds = 0
  while (!(await store.transact(eraseInstance, { id: 'inst_a', now, limit: 1 }))) rounds += 1
  assert.equal(rounds, 2)
  assert.equal(await isOut(store, 'A'), false)
})
