import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import { testOnBothStores } from '../../../test/kit/stores/outbox-on-both-stores.ts'
import { inspectFiles, inspectOutbox, resetOutbox } from '../../../test/kit/stores/outbox-store.ts'
import type { MessageEventData } from '../../contract/resources/event.ts'
import { eraseInstance } from '../../instances/instance-store.ts'
import type { Media } from '../../media/media.ts'
import { NetFailure } from '../../net/failure.ts'
import { boundedFetch } from '../../net/fetch/bounded-fetch.ts'
import type { DriverConnection } from '../../networks/driver/connection.ts'
import type { ReceivedFile } from '../../networks/driver/observation.ts'
import type { Store } from '../../store/store.ts'
import { receiveMessages } from '../inbox/inbox.ts'
import { incomingMessage } from '../inbox/incoming-message.ts'
import { filesDue, firstFiles, releaseFiles } from './fetch-store.ts'
import { receivedFiles } from './received-files.ts'

const minute = 60_000
const passedOver = { organizations: [], senders: [] }
const problem = { code: 'media_unreachable' as const, detail: 'The server answered 503.' }

const atUrl = { url: 'https://example.org/photo.png', filename: 'photo.png', mime_type: null }
const kept = { reference: 'photo-1', filename: 'photo.png', mime_type: null }

/** An instance to which a file comes that is to be fetched, and those who fetch it. */
async function setUp(store: Store, file: ReceivedFile = atUrl, connection?: Partial<DriverConnection>) {
  const time = new FakeTime()
  await store.transact(resetOutbox, [{ id: 'inst_a', network: 'sandbox' }])
  const received = { network_message_id: 'n-1', from: 'ana', conversation: 'ana', at: 0, text: 'See this' }
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
    const asked = { now: time.now, limit: 10, passedOver, underway: [], node: null }
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
  const none = () => assert.fail('nothing is fetched here')
  const runner = { connection: connection as DriverConnection }
  const runnerOf = (id: string) => (id === 'inst_a' ? runner : undefined)
  const start = () =>
    receivedFiles(
      { store, clock: time.clock, media: {} as Media, supervisor: { wake: none, runnerOf } },
      { fetch: none, bounded: boundedFetch(time) },
    )
  return { time, due, receivedEvents, error, start, work: start() }
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
  await store.transact(releaseFiles, { expiresAt: 0, limit: 100, after: firstFiles })
  assert.equal((await due()).length, 1)
  assert.deepEqual(await receivedEvents(), [])
})

testOnBothStores(
  'a file whose instance is gone is fetched all the same: its message has no event yet',
  async (store) => {
    const { due, receivedEvents, work } = await setUp(store)
    await store.transact(eraseInstance, { id: 'inst_a', now: 0, limit: 100 })
    const [file] = await due()
    assert.ok(file)
    assert.equal(await work.failed(file, problem), true)
    assert.equal(await work.failed(file, problem), false, 'it was told before')
    assert.equal((await receivedEvents()).length, 1)
  },
)

const bounds = { largest: 10, signal: new AbortController().signal }

testOnBothStores('a file by reference is opened through the connection of its instance', async (store) => {
  const asked: unknown[] = []
  const { due, work } = await setUp(store, kept, {
    files: {
      open: async (reference, { largest }) => {
        asked.push({ reference, largest })
        return { headers: {}, suggestedFilename: undefined, body: Readable.from([Buffer.from('bytes')]) }
      },
    },
  })
  const [file] = await due()
  assert.ok(file)
  const { body } = await work.fetch(file, bounds)
  assert.equal(String(Buffer.concat(await body.toArray())), 'bytes')
  assert.deepEqual(asked, [{ reference: 'photo-1', largest: 10 }])
})

testOnBothStores('a file by reference waits while its instance is not connected', async (store) => {
  const { due, work } = await setUp(store, kept)
  const [file] = await due()
  assert.ok(file)
  await assert.rejects(work.fetch(file, bounds), (failure) => isFailure(failure, false))
})

testOnBothStores('a file by reference cannot be had once its instance is gone', async (store) => {
  const { due, work } = await setUp(store, kept)
  await store.transact(eraseInstance, { id: 'inst_a', now: 0, limit: 100 })
  const [file] = await due()
  assert.ok(file)
  await assert.rejects(work.fetch(file, bounds), (failure) => isFailure(failure, true))
})

testOnBothStores('a file has an hour after the start of a server that found it late', async (store) => {
  const { time, due, receivedEvents, start } = await setUp(store, kept)
  time.pass(180 * minute)
  const work = start()
  const later = async () => {
    const [file] = await due()
    assert.ok(file)
    await work.later(file, problem, time.now + minute)
  }
  await later()
  assert.deepEqual(await receivedEvents(), [])
  time.pass(60 * minute)
  await later()
  assert.equal((await receivedEvents()).length, 1)
})

testOnBothStores('the reference of a file is forgotten with its fetch', async (store) => {
  const { due, work } = await setUp(store, kept)
  const [file] = await due()
  assert.ok(file)
  await work.failed(file, problem)
  const [stored] = await store.read(inspectFiles, null)
  assert.deepEqual([stored?.filename, stored?.reference], ['photo.png', null])
})

function isFailure(failure: unknown, permanent: boolean): boolean {
  return failure instanceof NetFailure && failure.permanent === permanent
}
