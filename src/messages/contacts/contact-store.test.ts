import assert from 'node:assert/strict'
import fc from 'fast-check'
import { accepting } from '../../../test/kit/stores/accepting.ts'
import { testOnBothStores } from '../../../test/kit/stores/outbox-on-both-stores.ts'
import { inspectContacts, resetOutbox } from '../../../test/kit/stores/outbox-store.ts'
import { eraseInstance, orderInstance } from '../../instances/instance-store.ts'
import { newId } from '../../runtime/ids.ts'
import type { Store } from '../../store/store.ts'
import { ownNetworkId } from '../message.ts'
import { acceptMessage } from '../outbox/accept/accept.ts'
import { type ContactTold, maxAddresses } from './contact.ts'
import { findLastWritten } from './contact-store.ts'
import { forgetContacts, forgetOldContacts } from './forget-contacts.ts'
import { recordContacts } from './record-contacts.ts'

const now = 1_700_000_000_000
const day = 86_400_000

const withInstances = (store: Store) =>
  store.transact(resetOutbox, [
    { id: 'inst_a', network: 'sandbox' },
    { id: 'inst_b', network: 'sandbox' },
  ])

const tell = (store: Store, told: Partial<ContactTold>, at = now, instanceId = 'inst_a') =>
  store.transact(recordContacts, {
    instanceId,
    contacts: [{ told: { addresses: [], wroteAt: null, ...told }, at }],
    limit: null,
  })

const wrote = async (store: Store, address: string, instance = 'inst_a') =>
  (await store.read(findLastWritten, { instance, address })).at

/** The contact of each address, and what is counted. */
async function kept(store: Store) {
  const { addresses, counts, organizations } = await store.read(inspectContacts, null)
  const own = addresses.filter(({ instance_id }) => instance_id === 'inst_a')
  assert.equal(counts.find(({ id }) => id === 'inst_a')?.contact_addresses, own.length, 'the count is right')
  assert.deepEqual(organizations, [{ contact_addresses: addresses.length }], 'and that of the organization')
  return new Map(own.map(({ address, contact }) => [address, contact]))
}

testOnBothStores(
  'what is told together is one person, who wrote when any of the addresses did',
  async (store) => {
    await withInstances(store)
    await tell(store, { addresses: ['+1'], wroteAt: 5 })
    await tell(store, { addresses: ['A'], wroteAt: 7 })
    assert.deepEqual(
      [await wrote(store, '+1'), await wrote(store, 'A'), await wrote(store, '+2')],
      [5, 7, null],
    )
    await tell(store, { addresses: ['A', '+1'] })
    assert.deepEqual([await wrote(store, '+1'), await wrote(store, 'A')], [7, 7])
    await tell(store, { addresses: ['+1'], wroteAt: 9 })
    await tell(store, { addresses: ['A'], wroteAt: 8 })
    assert.deepEqual([await wrote(store, '+1'), await wrote(store, 'A')], [9, 9])
    assert.equal(await wrote(store, 'A', 'inst_b'), null)
  },
)

testOnBothStores(
  'a number that passes to somebody else takes nothing of the earlier person along',
  async (store) => {
    await withInstances(store)
    await tell(store, { addresses: ['A', '+1'], wroteAt: 5 })
    await tell(store, { addresses: ['B', '+1'] })
    assert.deepEqual(
      [await wrote(store, '+1'), await wrote(store, 'B'), await wrote(store, 'A')],
      [null, null, 5],
    )
  },
)

testOnBothStores(
  'somebody with a new id stays the same person, whoever had their new number before',
  async (store) => {
    await withInstances(store)
    await tell(store, { addresses: ['A', '+1'], wroteAt: 5 })
    await tell(store, { addresses: ['B', '+2'], wroteAt: 6 })
    await tell(store, { addresses: ['C', '+2'], formerly: 'A' })
    assert.deepEqual(Object.fromEntries(await kept(store)), { '+1': 'C', '+2': 'C', A: 'C', B: 'B', C: 'C' })
    assert.deepEqual([await wrote(store, 'C'), await wrote(store, 'B')], [5, 6])
    // Without ids, only the numbers are known.
    await tell(store, { addresses: ['+2'], formerly: '+9' })
    assert.equal((await kept(store)).get('+2'), '+9')
  },
)

testOnBothStores('a person keeps the latest addresses, and an instance only so many', async (store) => {
  await withInstances(store)
  for (let number = 1; number <= 12; number++)
    await tell(store, { addresses: ['A', `+${number}`] }, now + number)
  const addresses = [...(await kept(store)).keys()]
  assert.equal(addresses.length, maxAddresses)
  assert.ok(addresses.includes('A') && addresses.includes('+12') && !addresses.includes('+1'))
})

testOnBothStores(
  'what is not told any more is forgotten, and everything with the instance',
  async (store) => {
    await withInstances(store)
    await tell(store, { addresses: ['A', '+1'] }, now)
    await tell(store, { addresses: ['A', '+2'] }, now + 2 * day)
    await tell(store, { addresses: ['B'] }, now, 'inst_b')
    let after: { instance: string; address: string } | null = { instance: '', address: '' }
    while (after) after = await store.transact(forgetOldContacts, { before: now + day, after, limit: 2 })
    assert.deepEqual([...(await kept(store)).keys()], ['+2', 'A'])
    await store.transact(orderInstance, { organization: 'org_test', name: 'inst_a', wanted: 'removed', now })
    await tell(store, { addresses: ['C'] })
    assert.equal(await store.transact(forgetContacts, { instanceId: 'inst_a', limit: 1 }), 1)
    assert.deepEqual([...(await kept(store)).keys()], ['A'])
    // Contacts that a crash left behind after their instance are forgotten, too.
    await store.transact(eraseInstance, { id: 'inst_a', now, limit: 100 })
    await store.transact(forgetOldContacts, { before: 0, after: { instance: '', address: '' }, limit: 10 })
    assert.deepEqual((await store.read(inspectContacts, null)).addresses, [])
  },
)

/** Stories of four people, each with an id and a number: they write, get each other's numbers, and new ids. */
const happenings = fc.array(
  fc.record({
    person: fc.nat(3),
    does: fc.constantFrom('write', 'write', 'hide', 'swap', 'renew'),
    other: fc.nat(3),
  }),
  { maxLength: 25 },
)

testOnBothStores(
  'however people get new ids and numbers, nobody is taken for somebody else',
  async (store) => {
    await fc.assert(
      fc.asyncProperty(happenings, async (all) => {
        await withInstances(store)
        const people = [0, 1, 2, 3].map((number) => ({
          ids: [`P${number}.0`],
          phone: `+${number}`,
          wrote: 0,
        }))
        const owners = new Map<string, number>()
        let time = 0
        for (const { person, does, other } of all) {
          time += 1
          const current = people[person] ?? assert.fail()
          const another = people[other] ?? assert.fail()
          const id = current.ids.at(-1) ?? ''
          if (does === 'swap') [current.phone, another.phone] = [another.phone, current.phone]
          else if (does === 'renew') {
            // As the network does it only to those it knows.
            current.ids.push(`P${person}.${time}`)
            await tell(store, { addresses: [`P${person}.${time}`, current.phone], formerly: id }, now + time)
            owners.set(current.phone, person)
          } else {
            const addresses = does === 'write' ? [id, current.phone] : [id]
            await tell(store, { addresses, wroteAt: time }, now + time)
            if (does === 'write') owners.set(current.phone, person)
            current.wrote = time
          }
        }
        const contacts = await kept(store)
        for (const [number, { ids, wrote: last }] of people.entries()) {
          const known = ids.filter((id) => contacts.has(id)).map((id) => contacts.get(id))
          assert.ok(new Set(known).size <= 1, 'all ids of a person are one contact')
          for (const [others, { ids: theirs }] of people.entries())
            if (others !== number) assert.ok(theirs.every((id) => !known.includes(contacts.get(id) ?? '-')))
          for (const [phone, owner] of owners)
            if (owner === number && contacts.has(phone)) assert.equal(contacts.get(phone), known[0])
          const id = ids.at(-1) ?? ''
          if (contacts.has(id)) assert.equal(await wrote(store, id), last === 0 ? null : last)
        }
      }),
      { numRuns: 25 },
    )
  },
)

testOnBothStores('an organization knows only so many people, and the others as before', async (store) => {
  await withInstances(store)
  const told = (address: string, instanceId = 'inst_a') =>
    store.transact(recordContacts, {
      instanceId,
      contacts: [{ told: { addresses: [address, `+${address}`], wroteAt: 7 }, at: now }],
      limit: 5,
    })
  for (const instance of ['inst_a', 'inst_b', 'inst_a']) await told(`new-in-${instance}`, instance)
  await told('somebody', 'inst_b')
  await told('nobody', 'inst_a')
  const { addresses, organizations } = await store.read(inspectContacts, null)
  assert.deepEqual([addresses.length, organizations], [5, [{ contact_addresses: 5 }]])
  await tell(store, { addresses: ['new-in-inst_a'], wroteAt: 9 })
  assert.deepEqual([await wrote(store, 'new-in-inst_a'), await wrote(store, 'nobody')], [9, null])
})

testOnBothStores('a status teaches who somebody is only if it is about a message to them', async (store) => {
  await withInstances(store)
  const id = newId('msg')
  await store.transact(acceptMessage, accepting({ id, recipient: '+1', created_at: now }))
  const aboutMessage = ownNetworkId(id)
  const contacts = [
    { told: { addresses: ['stranger', '+2'], wroteAt: null }, aboutMessage: 'not-ours', at: now },
    { told: { addresses: ['somebody-else', '+3'], wroteAt: null }, aboutMessage, at: now },
    { told: { addresses: ['A', '+1'], wroteAt: null }, aboutMessage, at: now },
    { told: { addresses: ['A', '+01'], wroteAt: null }, aboutMessage, at: now },
  ]
  await store.transact(recordContacts, { instanceId: 'inst_a', contacts, limit: null })
  assert.deepEqual(Object.fromEntries(await kept(store)), { '+01': 'A', '+1': 'A', A: 'A' })
})
