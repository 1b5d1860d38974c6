import assert from 'node:assert/strict'
import { accepting } from '../../test/kit/stores/accepting.ts'
import { testOnBothStores } from '../../test/kit/stores/outbox-on-both-stores.ts'
import { inspectOutbox, resetOutbox, selectRows, setAttempts } from '../../test/kit/stores/outbox-store.ts'
import type { MessageEventData } from '../contract/resources/event.ts'
import { forgetEvents } from '../events/retention.ts'
import { recordVerified } from '../instances/connection/connection-store.ts'
import { createInstance, eraseInstance } from '../instances/instance-store.ts'
import type { Store } from '../store/store.ts'
import { receiveMessages } from './inbox/inbox.ts'
import { incomingMessage } from './inbox/incoming-message.ts'
import { enterBlock } from './list/message-index.ts'
import { listMessages } from './list/message-list.ts'
import { acceptMessage } from './outbox/accept/accept.ts'
import { cancelMessage, discardQueue } from './outbox/sweep/sweep.ts'
import {
  type ForgettingMessages,
  type ForgettingPlace,
  type Forgotten,
  forgetMessages,
  ownersOfOldest,
} from './retention.ts'

const day = 24 * 60 * 60_000
const begin = 1_700_000_000_000

const newInstance = {
  ...{ id: 'inst_new', organization_id: 'org_test', name: 'new', network: 'sandbox', metadata: '{}' },
  ...{ account_key: null, shared_callback: 0, settings: '{}', credentials: new Uint8Array() },
  created_at: begin,
}

/** Every message of the organization. */
const everything = {
  ...{ organizationId: 'org_test', seen: null, status: null, direction: null, conversation: null, to: null },
  ...{ clientRef: null, createdAfter: null, createdBefore: null, text: null },
  ...{ limit: 10, before: null, place: null },
}

async function accept(store: Store, id: string, at: number, instance = 'inst_a'): Promise<void> {
  const expires_at = at + 60 * day
  const args = accepting({ id, instance_id: instance, recipient: id, created_at: at, expires_at })
  assert.equal((await store.transact(acceptMessage, args)).kind, 'accepted')
}

const cancel = (store: Store, id: string, now: number) =>
  store.transact(cancelMessage, { organizationId: 'org_test', id, instances: null, now })

async function receive(store: Store, instanceId: string, id: string, at: number, text = 'A text') {
  const said = { network_message_id: id, from: 'ana', conversation: 'ana', at, text, file: null }
  const message = incomingMessage({ kind: 'message-received', ...said }, at) ?? assert.fail()
  const mark = { mark: id, at }
  await store.transact(receiveMessages, { instanceId, messages: [message], mark, limit: null, now: at })
}

async function left(store: Store): Promise<string[]> {
  const { messages, organizations } = await store.read(inspectOutbox, null)
  const received = messages.filter(({ incoming }) => incoming === 1)
  const weight = received.reduce((sum, { text }) => sum + 1 + Math.floor([...(text ?? '')].length / 4096), 0)
  assert.equal(Number(organizations[0]?.incoming_messages), weight)
  return messages.map(({ id, network_message_id }) => network_message_id ?? id)
}

async function setUp(store: Store): Promise<void> {
  await store.transact(resetOutbox, [
    { id: 'inst_a', network: 'sandbox' },
    { id: 'inst_b', network: 'sandbox' },
  ])
}

const forgetOldEvents = (store: Store, before: number) =>
  store.transact(forgetEvents, { before, limit: 10_000, after: '' })

/** Forgets everything that is old enough, the events first and the messages in steps of so many. */
async function forget(store: Store, before: number, limit = 100): Promise<number> {
  await forgetOldEvents(store, before)
  let forgotten = 0
  for (let place: ForgettingPlace | null = { after: 0 }; place !== null; ) {
    const next: ForgettingMessages = { before, limit, now: before, ...place }
    // As a server does: what it touches is found out before.
    const organizations = await store.read(ownersOfOldest, next)
    const step: Forgotten = await store.transact(forgetMessages, { ...next, organizations })
    forgotten += step.forgotten
    place = step.goOn
  }
  return forgotten
}

testOnBothStores(
  'a message goes when its last event is long ago, and not before it is settled',
  async (store) => {
    await setUp(store)
    for (const id of ['soon', 'late', 'waiting']) await accept(store, id, begin)
    await cancel(store, 'soon', begin + day)
    await cancel(store, 'late', begin + 50 * day)
    assert.equal(await forget(store, begin + day), 0)
    assert.equal(await forget(store, begin + day + 1), 1)
    assert.deepEqual(await left(store), ['late', 'waiting'])
    assert.equal(await forget(store, begin + 50 * day + 1), 1)
    assert.deepEqual(await left(store), ['waiting'])
  },
)

testOnBothStores('a message stays for as long as an event is made of it', async (store) => {
  await setUp(store)
  await accept(store, 'first', begin)
  await cancel(store, 'first', begin + day)
  const old = { before: begin + 30 * day, after: 0, limit: 100, now: begin + 30 * day }
  assert.equal((await store.transact(forgetMessages, old)).forgotten, 0)
  // The event of its acceptance goes, that of its cancellation stays.
  await forgetOldEvents(store, begin + day)
  assert.equal((await store.transact(forgetMessages, old)).forgotten, 0)
  await forgetOldEvents(store, begin + day + 1)
  assert.equal((await store.transact(forgetMessages, old)).forgotten, 1)
})

testOnBothStores('the clock was set back: a message is as old as its event', async (store) => {
  await setUp(store)
  await accept(store, 'before', begin + day)
  await accept(store, 'after', begin)
  await cancel(store, 'after', begin + 1)
  await forgetOldEvents(store, begin + day)
  const old = { before: begin + 30 * day, after: 0, limit: 100, now: begin + 30 * day }
  assert.equal((await store.transact(forgetMessages, old)).forgotten, 0)
})

testOnBothStores('labels of an instance stay for as long as an event shows them', async (store) => {
  await setUp(store)
  const labels = { department: 'sales' }
  const labelsOfEvents = async () => {
    const { events } = await store.read(inspectOutbox, null)
    const ofMessages = events.filter(({ message_seq }) => message_seq !== null)
    return ofMessages.map(({ data }) => (data as MessageEventData).instance.metadata)
  }
  const instance = { ...newInstance, metadata: JSON.stringify(labels) }
  await store.transact(createInstance, { instance, limit: null, idempotency: null, owner: null })
  await accept(store, 'labelled', begin + 2 * day, instance.id)
  // The clock was set back: the instance goes before its last event.
  await cancel(store, 'labelled', begin + day)
  await store.transact(eraseInstance, { id: instance.id, now: begin + day, limit: 100 })
  await forgetOldEvents(store, begin + 2 * day)
  assert.deepEqual(await labelsOfEvents(), [labels, labels])
  await forgetOldEvents(store, begin + 2 * day + 1)
  assert.deepEqual(await labelsOfEvents(), [])
  assert.equal((await store.read(inspectOutbox, null)).labels.length, 0)
})

testOnBothStores(
  'an instance that is gone is named for as long as a message of it is there',
  async (store) => {
    await setUp(store)
    const named = async () => {
      const numbers = await store.read(selectRows, { table: 'message_instances', columns: ['instance_id'] })
      return numbers.map(({ instance_id }) => instance_id)
    }
    const shownOf = async (name: string) => {
      const listed = await store.read(listMessages, { ...everything, instanceName: name })
      return listed.data.map(({ id, instance }) => `${id} of ${instance}`)
    }
    const erase = (id: string) => store.transact(eraseInstance, { id, now: begin + day, limit: 100 })
    await accept(store, 'first', begin)
    await accept(store, 'second', begin, 'inst_b')
    for (const id of ['first', 'second']) await cancel(store, id, begin)
    await erase('inst_a')
    assert.deepEqual(await shownOf('inst_a'), ['first of inst_a'])
    assert.equal((await store.transact(acceptMessage, accepting({ id: 'late' }))).kind, 'instance_gone')
    // Retention has nothing to forget yet.
    assert.equal(await forget(store, begin), 0)
    assert.deepEqual(await named(), ['inst_a', 'inst_b'])
    // Another of the same name is another instance.
    const instance = { ...newInstance, name: 'inst_a' }
    await store.transact(createInstance, { instance, limit: null, idempotency: null, owner: null })
    await accept(store, 'third', begin + day, instance.id)
    await cancel(store, 'third', begin + day)
    assert.equal(await forget(store, begin + day), 2)
    assert.deepEqual(await named(), ['inst_b', instance.id])
    await erase(instance.id)
    await erase('inst_b')
    assert.deepEqual(await named(), ['inst_b', instance.id])
    assert.equal(await forget(store, begin + 2 * day), 1)
    assert.deepEqual(await named(), [])
  },
)

testOnBothStores('of what is long, a step takes a megabyte, and goes on with the rest', async (store) => {
  await setUp(store)
  const [text, expires_at] = ['é'.repeat(21_000), begin + 60 * day]
  for (let count = 0; count < 60; count++) {
    const id = `m-${count}`
    const long = accepting({ id, recipient: id, created_at: begin, expires_at, text })
    await store.transact(acceptMessage, long)
    // The first stays: its number is passed.
    if (count > 0) await cancel(store, id, begin)
  }
  await forgetOldEvents(store, begin + day)
  const counts: number[] = []
  for (let place: ForgettingPlace | null = { after: 0 }; place !== null; ) {
    const next: ForgettingMessages = { before: begin + day, limit: 200, now: begin, ...place }
    const step: Forgotten = await store.transact(forgetMessages, next)
    counts.push(step.forgotten)
    place = step.goOn
  }
  assert.deepEqual(counts.slice(0, 3), [23, 23, 13])
  assert.deepEqual(await left(store), ['m-0'])
})

testOnBothStores('attempts that go with their messages count, too', async (store) => {
  await setUp(store)
  for (let count = 0; count < 60; count++) await accept(store, `m-${count}`, begin)
  for (let count = 0; count < 60; count++) await cancel(store, `m-${count}`, begin)
  await store.transact(setAttempts, { attempts: 1_000 })
  await forgetOldEvents(store, begin + day)
  const step = await store.transact(forgetMessages, { before: begin + day, after: 0, limit: 200, now: begin })
  // A hundred attempts of each are kept.
  assert.ok(step.forgotten > 10 && step.forgotten <= 20, `${step.forgotten} messages`)
  assert.equal(await forget(store, begin + day), 60 - step.forgotten)
})

testOnBothStores('only what belongs to the organizations that are locked goes', async (store) => {
  await setUp(store)
  await accept(store, 'old', begin)
  await cancel(store, 'old', begin)
  await forgetOldEvents(store, begin + day)
  const step = { before: begin + day, after: 0, limit: 100, now: begin }
  assert.deepEqual(await store.read(ownersOfOldest, step), ['org_test'])
  const others = await store.transact(forgetMessages, { ...step, organizations: ['org_other'] })
  assert.deepEqual(others, { forgotten: 0, goOn: { after: 0, kept: null, block: 0 } })
  const ours = await store.transact(forgetMessages, { ...step, organizations: ['org_other', 'org_test'] })
  assert.deepEqual(ours, { forgotten: 1, goOn: null })
})

testOnBothStores('what lists are made from goes with the messages', async (store) => {
  await setUp(store)
  const ids = Array.from({ length: 2_200 }, (_, count) => `m-${count}`)
  // The newest stays, and one in the middle, with the block that it is in.
  const staying = ['m-1500', 'm-2199']
  const instanceOf = (id: string) => (staying.includes(id) ? 'inst_b' : 'inst_a')
  await Promise.all(ids.map((id) => accept(store, id, begin, instanceOf(id))))
  while (await store.transact(enterBlock, null));
  const all = { instanceId: 'inst_a', now: begin, limit: 10_000 }
  while ((await store.transact(discardQueue, all)).more);
  await forgetOldEvents(store, begin + day)
  const entered = async () => {
    const blocks = await store.read(selectRows, { table: 'message_index', columns: ['block'] })
    const conversations = await store.read(selectRows, { table: 'conversations', columns: ['last_seq'] })
    return { blocks: new Set(blocks.map(({ block }) => block)).size, conversations: conversations.length }
  }
  assert.equal((await entered()).blocks, 2)
  assert.equal(await forget(store, begin + day, 500), 2_198)
  assert.deepEqual(await entered(), { blocks: 1, conversations: 1 })
  for (const id of staying) await cancel(store, id, begin)
  await forgetOldEvents(store, begin + day)
  assert.equal(await forget(store, begin + day, 500), 2)
  assert.deepEqual(await entered(), { blocks: 0, conversations: 0 })
})

testOnBothStores('steps are small, and pass over what stays', async (store) => {
  await setUp(store)
  for (let count = 0; count < 25; count++) await accept(store, `m-${count}`, begin + count)
  for (let count = 0; count < 25; count += 2) await cancel(store, `m-${count}`, begin + count)
  await forgetOldEvents(store, begin + day)
  const first = await store.transact(forgetMessages, { before: begin + day, after: 0, limit: 5, now: begin })
  assert.equal(first.forgotten, 3)
  assert.ok(first.goOn !== null)
  assert.equal(await forget(store, begin + day, 5), 10)
  assert.equal((await left(store)).length, 12)
})

testOnBothStores('what came in stays known for as long as an archive may show it again', async (store) => {
  await setUp(store)
  await receive(store, 'inst_a', 'old', begin)
  await receive(store, 'inst_b', 'last', begin, 'x'.repeat(10_000))
  // One instance went on for months; the other was stopped, and reads on from there when it is started.
  await store.transact(recordVerified, { id: 'inst_a', at: begin + 100 * day, nothingMissing: true })
  assert.equal(await forget(store, begin + 99 * day), 1)
  assert.deepEqual(await left(store), ['last'])
  await receive(store, 'inst_b', 'last', begin + 100 * day)
  assert.deepEqual(await left(store), ['last'], 'it did not come in anew')
})
