import assert from 'node:assert/strict'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import { testOnBothStores } from '../../../test/kit/stores/outbox-on-both-stores.ts'
import { inspectOutbox, resetOutbox } from '../../../test/kit/stores/outbox-store.ts'
import type { MessageEventData } from '../../contract/resources/event.ts'
import { eraseInstance } from '../../instances/instance-store.ts'
import type { Media } from '../../media/media.ts'
import type { Store } from '../../store/store.ts'
import { receiveMessages } from '../inbox/inbox.ts'
import { incomingMessage } from '../inbox/incoming-message.ts'
import { filesDue, releaseFiles } from './fetch-store.ts'
import { receivedFiles } from './received-files.ts'

const minute = 60_000
const passedOver = { organizations: [], senders: [] }
const problem = { code: 'media_unreachable' as const, detail: 'The server answered 503.' }

/** An instance to which a file comes that is to be fetched, and those who fetch it. */
async function setUp(store: Store) {
  const time = new FakeTime()
  await store.transact(resetOutbox, [{ id: 'inst_a', network: 'sandbox' }])
  const received = { network_message_id: 'n-1', from: 'ana', conversation: 'ana', at: 0, text: 'See this' }
  const file = { url: 'https://example.org/photo.png', filename: 'photo.png', mime_type: null }
  const message = incomingMessage({ kind: 'message-received', ...received, file }, time.now)
  assert.ok(message)
  await store.transact(receiveMessages, {
    instanceId: 'inst_a',
    messages: [message],
    mark: null,
    limit: null,
    now: 0,
  })
  const due = async () => {
    const asked = { now: time.now, limit: 10, passedOver, underway: [] }
    const { files } = await store.read(filesDue, { direction: 'inbound', ...asked })
    assert.deepEqual((await store.read(filesDue, { direction: 'outbound', ...asked })).files, [])
    return files
  }
  const receivedEvents = async () => {
    const { events } = await store.read(inspectOutbox, null)
    return events
      .filter(({ type }) => type === 'message.received')
      .map(({ data }) => (data as MessageEventData).message)
  }
  const error = async () => JSON.parse((await store.read(inspectOutbox, null)).messages[0]?.error ?? 'null')
  return {
    time,
    due,
    receivedEvents,
    error,
    work: receivedFiles({
      store,
      clock: time.clock,
      media: {} as Media,
      fetch: () => assert.fail('nothing is fetched here'),
      ownFileAddress: () => assert.fail('nothing is fetched here'),
    }),
  }
}

testOnBothStores(
  'a file that cannot be had for an hour is given up, and its message has one event',
  async (store) => {
    const { time, due, receivedEvents, error, work } = await setUp(store)
    for (let tries = 0; ; tries++) {
      const [file] = await due()
      if (!file) break
      assert.deepEqual([file.fetch_attempts, await receivedEvents()], [tries, []])
      await work.later(file, problem, time.now + 5 * minute)
      assert.equal((await error()).permanent, time.now > 55 * minute)
      time.pass(5 * minute)
    }
    assert.equal(time.now, 65 * minute)
    const [message, ...more] = await receivedEvents()
    assert.deepEqual([message?.error?.code, message?.error?.permanent, more], ['media_unreachable', true, []])
    assert.deepEqual(message?.media, { filename: 'photo.png', mime_type: null, size: null, sha256: null })
  },
)

testOnBothStores('a file goes on being fetched though its message has no queue to wait in', async (store) => {
  const { due, receivedEvents } = await setUp(store)
  await store.transact(releaseFiles, { expiresAt: 0, limit: 100 })
  assert.equal((await due()).length, 1)
  assert.deepEqual(await receivedEvents(), [])
})

testOnBothStores(
  'a file whose instance is gone is fetched all the same: its message has no event yet',
  async (store) => {
    const { due, receivedEvents, work } = await setUp(store)
    await store.transact(eraseInstance, { id: 'inst_a', now: 0 })
    const [file] = await due()
    assert.ok(file)
    assert.equal(await work.failed(file, problem), true)
    assert.equal(await work.failed(file, problem), false, 'it was told before')
    assert.equal((await receivedEvents()).length, 1)
  },
)
