import assert from 'node:assert/strict'
import { testOnBothStores } from '../../../test/kit/stores/outbox-on-both-stores.ts'
import { inspectOutbox, resetOutbox } from '../../../test/kit/stores/outbox-store.ts'
import type { MessageEventData } from '../../contract/resources/event.ts'
import { undecryptable } from '../../contract/statuses.ts'
import type { MessageReceived } from '../../networks/driver/observation.ts'
import { readUsage } from '../../organizations/usage.ts'
import type { Store } from '../../store/store.ts'
import { isStored, receiveMessages } from './inbox.ts'
import { incomingMessage } from './incoming-message.ts'

const now = 1_700_000_000_000
const instanceId = 'inst_a'
const unreadable = { text: null, unsupported: { type: undecryptable, name: null } }

function arrival(id: string, said: Partial<MessageReceived> = {}) {
  const received = { network_message_id: id, from: 'ana', conversation: 'ana', at: now, text: `Text ${id}` }
  const message = incomingMessage({ kind: 'message-received', file: null, ...received, ...said }, now)
  return message ?? assert.fail('nothing is kept')
}

const begin = (store: Store) => store.transact(resetOutbox, [{ id: instanceId, network: 'sandbox' }])

const receive = (store: Store, messages: ReturnType<typeof arrival>[], limit: number | null = null) =>
  store.transact(receiveMessages, { instanceId, messages, mark: null, limit, now: now + 1 })

/** Returns what the events say of their messages. */
async function told(store: Store) {
  const { events } = await store.read(inspectOutbox, null)
  return events.map(({ data }) => (data as MessageEventData).message)
}

testOnBothStores(
  'a message that could not be decrypted is told, and its content takes its place, once',
  async (store) => {
    await begin(store)
    await receive(store, [arrival('n-1', unreadable), arrival('n-2'), arrival('n-1', unreadable)])
    const isThere = () => store.read(isStored, { instanceId, networkMessageId: 'n-1' })
    assert.equal(await isThere(), false)
    const before = await told(store)
    await receive(store, [arrival('n-1'), arrival('n-1', unreadable), arrival('n-1', { text: 'Another' })])
    assert.equal(await isThere(), true)
    const { messages } = await store.read(inspectOutbox, null)
    assert.deepEqual(
      messages.map(({ kind, text, unsupported }) => [kind, text, unsupported]),
      [
        ['text', 'Text n-1', null],
        ['text', 'Text n-2', null],
      ],
    )
    const after = await told(store)
    assert.deepEqual(after.slice(0, 2), before, 'an event says the same for ever')
    assert.deepEqual(
      after.map(({ id, kind, text, unsupported }) => [id, kind, text, unsupported?.type]),
      [
        [messages[0]?.id, 'unsupported', undefined, 'undecryptable'],
        [messages[1]?.id, 'text', 'Text n-2', undefined],
        [messages[0]?.id, 'text', 'Text n-1', undefined],
      ],
    )
  },
)

testOnBothStores('a file that takes its place is fetched before it is told', async (store) => {
  await begin(store)
  await receive(store, [arrival('n-1', unreadable)])
  const file = { url: 'https://example.org/photo.png', filename: 'photo.png', mime_type: null }
  assert.equal((await receive(store, [arrival('n-1', { text: null, file })])).hasFiles, true)
  const { messages } = await store.read(inspectOutbox, null)
  assert.deepEqual(
    messages.map(({ kind, awaits_file }) => [kind, awaits_file]),
    [['document', 1]],
  )
  assert.equal((await told(store)).length, 1)
})

testOnBothStores('it takes no more room than any other message', async (store) => {
  await begin(store)
  const used = async () => (await store.read(readUsage, { organization: 'org_test' })).incoming_messages
  assert.equal((await receive(store, [arrival('n-1', unreadable), arrival('n-2', unreadable)], 2)).taken, 2)
  const long = arrival('n-1', { text: 'x'.repeat(10_000) })
  assert.equal((await receive(store, [long], 2)).taken, 0)
  assert.equal((await receive(store, [arrival('n-1', unreadable)], 2)).taken, 1, 'nothing is new')
  assert.equal(await used(), 2)
  assert.equal((await receive(store, [long], 3)).taken, 1)
  assert.equal(await used(), 4)
})
