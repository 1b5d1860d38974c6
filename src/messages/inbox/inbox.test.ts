import assert from 'node:assert/strict'
import { accepting } from '../../../test/kit/stores/accepting.ts'
import { testOnBothStores } from '../../../test/kit/stores/outbox-on-both-stores.ts'
import { inspectOutbox, resetOutbox } from '../../../test/kit/stores/outbox-store.ts'
import type { MessageEventData } from '../../contract/resources/event.ts'
import type { Relation } from '../../contract/resources/message.ts'
import type { RelationType } from '../../contract/statuses.ts'
import { recordVerified } from '../../instances/connection/connection-store.ts'
import { eraseInstance, orderInstance } from '../../instances/instance-store.ts'
import { longestReference, type MessageReceived } from '../../networks/driver/observation.ts'
import type { Store } from '../../store/store.ts'
import { acceptMessage } from '../outbox/accept/accept.ts'
import { recordAcknowledged, recordReceipt, recordReturn } from '../outbox/receipts/receipts.ts'
import { findMark, receiveMessages } from './inbox.ts'
import { incomingMessage } from './incoming-message.ts'

const now = 1_700_000_000_000
const url = 'https://example.org/photo.png'

/** A text of this id, as it comes to the account, or a file if there is one. */
function arrival(id: string, said: Partial<MessageReceived> = {}) {
  const received = { network_message_id: id, from: 'ana', conversation: 'ana', at: now, text: `Text ${id}` }
  const message = incomingMessage({ kind: 'message-received', file: null, ...received, ...said }, now)
  return message ?? assert.fail('nothing is kept')
}

const ours = '06fdw2p7d8sq1m5v2b9x4hyk6n'

const outbound = accepting({ id: `msg_${ours}`, created_at: now, expires_at: now + 1_000 })

const accept = (store: Store) => store.transact(acceptMessage, outbound)

const photo = (id: string) =>
  arrival(id, { text: null, file: { url, filename: 'photo.png', mime_type: null } })

const receive = async (store: Store, instanceId: string, ...messages: ReturnType<typeof arrival>[]) =>
  (await store.transact(receiveMessages, { instanceId, messages, mark: null, limit: null, now })).hasFiles

async function withInstances(store: Store): Promise<void> {
  await store.transact(resetOutbox, [
    { id: 'inst_a', network: 'sandbox' },
    { id: 'inst_b', network: 'sandbox' },
  ])
}

/** All stored messages, and what events report of them. */
async function seen(store: Store) {
  const { messages, events } = await store.read(inspectOutbox, null)
  const reported = events.map(({ type, data }) => {
    const { message } = data as MessageEventData
    return `${type} ${message.instance} ${message.network_message_id}`
  })
  return { messages, reported, sequences: events.map(({ sequence }) => sequence) }
}

testOnBothStores('a message is stored once and has one event, however often it comes', async (store) => {
  await withInstances(store)
  await receive(store, 'inst_a', arrival('n-1'), arrival('n-2'), arrival('n-1'))
  await receive(store, 'inst_a', arrival('n-2', { text: 'Another text' }), arrival('n-3'))
  const { messages, reported, sequences } = await seen(store)
  assert.deepEqual(
    reported,
    [1, 2, 3].map((number) => `message.received inst_a n-${number}`),
  )
  assert.deepEqual(sequences, [1, 2, 3])
  assert.deepEqual(
    messages.map(({ text }) => text),
    ['Text n-1', 'Text n-2', 'Text n-3'],
  )
})

testOnBothStores('one id at two instances is two messages', async (store) => {
  await withInstances(store)
  await receive(store, 'inst_a', arrival('n-1'))
  await receive(store, 'inst_b', arrival('n-1'))
  assert.deepEqual((await seen(store)).reported, [
    'message.received inst_a n-1',
    'message.received inst_b n-1',
  ])
})

testOnBothStores(
  'a message with a file has its event once that was fetched, or at once if nobody can fetch it',
  async (store) => {
    await withInstances(store)
    const far = arrival('n-2', { file: { url: 'x'.repeat(9_000), filename: null, mime_type: null } })
    const referring = (id: string, reference: string) =>
      arrival(id, { file: { reference, filename: null, mime_type: null } })
    assert.equal(await receive(store, 'inst_a', photo('n-1'), far), true, 'there is something to fetch')
    assert.equal(await receive(store, 'inst_a', photo('n-1'), arrival('n-3')), false, 'there is nothing new')
    assert.equal(await receive(store, 'inst_a', referring('n-4', 'x')), true)
    assert.equal(await receive(store, 'inst_a', referring('n-5', 'x'.repeat(longestReference + 1))), false)
    const { messages, reported } = await seen(store)
    assert.deepEqual(
      reported,
      [2, 3, 5].map((number) => `message.received inst_a n-${number}`),
    )
    assert.deepEqual(
      messages.map(({ kind, awaits_file, error }) => [kind, awaits_file, JSON.parse(error ?? '{}').code]),
      [
        ['document', 1, undefined],
        ['document', 0, 'media_refused'],
        ['text', 0, undefined],
        ['document', 1, undefined],
        ['document', 0, 'media_refused'],
      ],
    )
  },
)

testOnBothStores('what an instance sent and sees again did not come in', async (store) => {
  await withInstances(store)
  await accept(store)
  const messages = [arrival(ours), arrival('n-1')]
  const mark = { mark: 'n-1', at: 700 }
  const args = { instanceId: 'inst_a', mark, now }
  const full = { taken: 1, hasFiles: false }
  assert.deepEqual(await store.transact(receiveMessages, { ...args, messages, limit: 0 }), full)
  assert.equal(await store.read(findMark, { instanceId: 'inst_a' }), null)
  const all = { taken: 2, hasFiles: false }
  assert.deepEqual(await store.transact(receiveMessages, { ...args, messages, limit: null }), all)
  assert.deepEqual(await store.read(findMark, { instanceId: 'inst_a' }), mark)
  // To another instance it is a message.
  await receive(store, 'inst_b', arrival(ours))
  const { reported } = await seen(store)
  assert.deepEqual(reported, [
    `message.queued inst_a ${ours}`,
    'message.received inst_a n-1',
    `message.received inst_b ${ours}`,
  ])
})

testOnBothStores('an instance that is being removed, or is gone, takes nothing', async (store) => {
  await withInstances(store)
  await store.transact(orderInstance, { organization: 'org_test', name: 'inst_a', wanted: 'removed', now })
  await store.transact(eraseInstance, { id: 'inst_b', now, limit: 100 })
  for (const instance of ['inst_a', 'inst_b', 'inst_never']) await receive(store, instance, arrival('n-1'))
  const { messages, events } = await store.read(inspectOutbox, null)
  assert.deepEqual([messages, events.map(({ type }) => type)], [[], ['instance.deleted']])
})

testOnBothStores('nobody confirms or gives back what was received', async (store) => {
  await withInstances(store)
  await receive(store, 'inst_a', arrival('n-1'))
  const named = { instanceId: 'inst_a', networkMessageId: 'n-1', from: 'ana', at: now }
  assert.equal(await store.transact(recordReceipt, { ...named, state: 'read' }), null)
  const error = { code: 'recipient_gone', detail: 'The recipient is gone.', permanent: true }
  assert.equal(await store.transact(recordReturn, { ...named, error }), null)
  const { messages, reported } = await seen(store)
  assert.deepEqual([messages[0]?.status, messages[0]?.read_at, reported.length], ['received', null, 1])
})

testOnBothStores(
  'the mark is stored with the messages, and a null field of it stays as it was',
  async (store) => {
    await withInstances(store)
    const mark = () => store.read(findMark, { instanceId: 'inst_a' })
    const move = (reached: string | null, at: number | null) =>
      store.transact(receiveMessages, {
        instanceId: 'inst_a',
        messages: [],
        mark: { mark: reached, at },
        limit: null,
        now,
      })
    assert.equal(await mark(), null)
    await move('a-1', null)
    assert.deepEqual(await mark(), { mark: 'a-1', at: 0 }, 'only the mark is known')
    await move(null, 500)
    assert.deepEqual(await mark(), { mark: 'a-1', at: 500 })
    await receive(store, 'inst_a', arrival('n-1'))
    assert.deepEqual(await mark(), { mark: 'a-1', at: 500 })
    await move('n-1', 700)
    assert.deepEqual(await mark(), { mark: 'n-1', at: 700 })
    await store.transact(recordVerified, { id: 'inst_a', at: 900, nothingMissing: false })
    assert.equal((await mark())?.at, 700, 'the network is there, and something may be missing')
    await store.transact(recordVerified, { id: 'inst_a', at: 900, nothingMissing: true })
    assert.deepEqual(await mark(), { mark: 'n-1', at: 900 })
    assert.equal(await store.read(findMark, { instanceId: 'inst_b' }), null)
  },
)

/** Has the last of these messages refer to `id`, and tells what of it is kept. */
async function referring(
  store: Store,
  type: RelationType,
  id: string,
  where: { instance?: string; from?: string } = {},
) {
  const { instance = 'inst_a', from = 'ana' } = where
  const said = { from, conversation: from, relation: { type, message: id } }
  await receive(store, instance, arrival(`n-${type}-${from}-${instance}`, said))
  const { relation } = (await seen(store)).messages.at(-1) ?? assert.fail('nothing is kept')
  return JSON.parse(relation ?? 'null') as Relation
}

testOnBothStores(
  'a relation leads to a message of the same instance and conversation, and nowhere else',
  async (store) => {
    await withInstances(store)
    await receive(store, 'inst_a', arrival('n-1', { sender_message_id: 'one' }))
    await receive(store, 'inst_a', arrival('n-2', { sender_message_id: 'one' }))
    const latest = (await seen(store)).messages[1]?.id
    for (const type of ['correction', 'reply', 'reaction', 'retraction'] as const) {
      assert.deepEqual(await referring(store, type, 'one'), {
        type,
        message_id: latest,
        network_message_id: 'n-2',
      })
      const unknown = { type, message_id: null, network_message_id: 'one' }
      assert.deepEqual(await referring(store, type, 'one', { from: 'mallory' }), unknown)
      assert.deepEqual(await referring(store, type, 'one', { instance: 'inst_b' }), unknown)
    }
  },
)

testOnBothStores(
  'a group refers to a message of the account by the id that it gave it first',
  async (store) => {
    await withInstances(store)
    await accept(store)
    for (const sharedId of ['room-7', 'room-8', 'x'.repeat(256)])
      await store.transact(recordAcknowledged, {
        instanceId: 'inst_a',
        networkMessageId: ours,
        at: now,
        sharedId,
      })
    const found = { message_id: outbound.message.id, network_message_id: ours }
    assert.deepEqual(await referring(store, 'reply', 'room-7'), { type: 'reply', ...found })
    for (const [type, id] of [
      ['reaction', 'room-8'],
      ['correction', 'room-7'],
      ['retraction', 'room-7'],
    ] as const)
      assert.deepEqual(await referring(store, type, id), { type, message_id: null, network_message_id: id })
  },
)

testOnBothStores(
  'somebody answers what was sent to them, and cannot correct it or take it back',
  async (store) => {
    await withInstances(store)
    await accept(store)
    const found = { message_id: outbound.message.id, network_message_id: ours }
    const unknown = { message_id: null, network_message_id: ours }
    for (const [type, meant] of [
      ['reply', found],
      ['reaction', found],
      ['correction', unknown],
      ['retraction', unknown],
    ] as const) {
      assert.deepEqual(await referring(store, type, ours), { type, ...meant })
      assert.deepEqual(await referring(store, type, ours, { from: 'mallory' }), { type, ...unknown })
    }
  },
)
