import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { CountedChanges } from '../../../test/kit/counted-changes.ts'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import { bothStores } from '../../../test/kit/stores/both-stores.ts'
import { createOrganizations, journalFunctions, writeEvents } from '../../../test/kit/stores/journal-store.ts'
import type { StreamEvent, StreamPosition } from '../../contract/handler.ts'
import { Problem } from '../../contract/problem.ts'
import type { EventType, StreamedEventType } from '../../contract/resources/event.ts'
import type { Store } from '../../store/store.ts'
import { lookedThrough } from '../feed.ts'
import { readFeedCursor, writeFeedCursor } from '../feed-cursor.ts'
import { TypingNotices } from '../live/typing-notices.ts'
import { forgetEvents } from '../retention.ts'
import { listEvents } from './list-events.ts'

/* The behaviour of a stream between its looks, which no caller can time: the handler is asked step by step. */

const thread = new URL('../../../test/kit/stores/journal-store-thread.ts', import.meta.url)
const organization = 'org_a'

interface Query {
  readonly after?: string
  readonly types?: readonly StreamedEventType[]
}

/** Every listener leaves when the test ends. */
let leaving = new AbortController()
afterEach(() => {
  leaving.abort()
  leaving = new AbortController()
})

type Stream = AsyncIterator<StreamEvent | StreamPosition>

/** The operation over a store in which the test writes; `looks` counts how often the store was asked. */
async function operationOver(place: () => Promise<Store>) {
  const store = await place()
  await store.transact(createOrganizations, [organization])
  const eventChanges = new CountedChanges()
  const time = new FakeTime()
  const counted = { looks: 0, lookTakes: 0 }
  store.onCommit = (_, announced) => {
    for (const id of announced) eventChanges.notify(id)
  }
  const read: Store['read'] = (query, args) => {
    counted.looks++
    return store.read(query, args).finally(() => time.pass(counted.lookTakes))
  }
  const renderMessage = () => assert.fail('no event here is about a message')
  const counting = { ...store, read } as Store
  const typingNotices = new TypingNotices({ ...time, tell: () => {} })
  const { handle } = listEvents({
    ...{ store: counting, clock: time.clock, eventChanges, renderMessage, typingNotices },
  })
  const room = { enter: async () => {}, leave: () => {} }
  const call = (query: Query, rest: object) =>
    handle({ caller: { organizationId: organization }, query, waitMs: 0, room, ...rest } as never)
  return {
    store,
    time,
    counted,
    eventChanges,
    typingNotices,
    write: (count: number, type: EventType = 'message.sent', data = {}) => {
      const events = Array.from({ length: count }, () => ({ type, instance: 'trial', data }))
      return store.transact(writeEvents, { organization, now: 1, events })
    },
    async follow(query: Query, lastEventId?: string): Promise<Stream> {
      const answer = await call(query, { wantsStream: true, signal: leaving.signal, lastEventId })
      assert.ok('stream' in answer)
      return answer.stream[Symbol.asyncIterator]()
    },
    async page(query: Query, waitMs = 0) {
      const answer = await call(query, { wantsStream: false, signal: leaving.signal, waitMs })
      assert.ok('body' in answer)
      return answer.body as unknown as { data: { sequence: number }[]; next_cursor: string }
    },
  }
}

const cursorAt = (sequence: number) => writeFeedCursor({ epoch: '', sequence })

/** The number after which a listener that received this would begin again. */
async function next(stream: Stream): Promise<number | undefined> {
  const { value } = await stream.next()
  return value?.id === undefined ? undefined : readFeedCursor(value.id)?.sequence
}

for (const { name, skip, newPlace } of await bothStores(journalFunctions, thread)) {
  describe(`a page of events ${name}`, { skip }, () => {
    test('that is waited for is answered at once when the caller goes or the server stops, and looks on until then', async () => {
      const { eventChanges, write, page } = await operationOver(await newPlace())
      const waiting = page({ types: ['message.failed'] }, 600_000)
      while (eventChanges.waiting < 1) await setImmediate()
      await write(7)
      while (eventChanges.waiting < 1) await setImmediate()
      leaving.abort()
      assert.deepEqual((await waiting).data, [])
      assert.equal(eventChanges.waiting, 0)
    })

    test('that nothing fits leads on, however long one waits', async () => {
      const { write, page } = await operationOver(await newPlace())
      await write(lookedThrough + 1)
      const { data, next_cursor } = await page({ types: ['message.failed'] }, 600_000)
      assert.deepEqual([data, next_cursor], [[], cursorAt(lookedThrough)])
    })
  })

  describe(`a stream of events ${name}`, { skip }, () => {
    test('begins by saying where it is, so that who sees no event can still begin again there', async () => {
      const { write, follow } = await operationOver(await newPlace())
      await write(3)
      const stream = await follow({})
      assert.deepEqual(await stream.next(), { done: false, value: { id: cursorAt(3) } })
      const event = stream.next()
      await write(1)
      const { value } = await event
      assert.deepEqual([value.event, value.data.sequence], ['message.sent', 4])
    })

    test('moves on past what does not concern its listener, now and then', async () => {
      const { time, write, follow, page } = await operationOver(await newPlace())
      const types = ['message.failed'] as const
      const stream = await follow({ types })
      assert.equal(await next(stream), 0)
      const following = next(stream)
      await write(250)
      time.pass(15_000)
      await write(50)
      const moved = (await following) as number
      assert.ok(moved > 0 && moved <= 300, `${moved}`)
      assert.deepEqual((await page({ types, after: cursorAt(moved) })).data, [])
      const last = stream.next()
      await write(1, 'message.failed')
      assert.equal((await last).value.data.sequence, 301)
    })

    test('ends if the next event was removed, and cannot be taken up again there', async () => {
      const { store, write, follow } = await operationOver(await newPlace())
      await write(250)
      const stream = await follow({ after: cursorAt(0) })
      const seen: (number | undefined)[] = []
      seen.push(await next(stream))
      await store.transact(forgetEvents, { before: 2, limit: 240, after: '' })
      for (let at = await next(stream); at !== undefined; at = await next(stream)) seen.push(at)
      const whole = Array.from({ length: seen.length }, (_, index) => index + 1)
      assert.deepEqual(seen, whole, 'nothing is left out')
      assert.ok(seen.length < 250)
      await assert.rejects(
        follow({ after: cursorAt(0) }, cursorAt(seen.length)),
        (error) => error instanceof Problem && error.code === 'cursor_expired',
      )
    })

    for (const [whose, takes, data, most, least] of [
      ['that is behind catches up in few looks', 0, {}, 9, 1],
      ['is read in small parts for a listener who is slower than the store', 2, {}, 41, 40],
      ['is read in small parts while its events are large', 0, { text: 'x'.repeat(20_000) }, 41, 20],
    ] as const)
      test(whose, async () => {
        const { time, counted, write, follow } = await operationOver(await newPlace())
        counted.lookTakes = 10
        for (let written = 0; written < 1_000; written += 250) await write(250, 'message.sent', data)
        counted.looks = 0
        const stream = await follow({ after: cursorAt(0) })
        for (let expected = 1; expected <= 1_000; expected++) {
          assert.equal(await next(stream), expected)
          time.pass(takes)
        }
        assert.ok(counted.looks <= most && counted.looks >= least, `${counted.looks} looks`)
      })

    test('is read once for all who follow, however many', async () => {
      const { counted, eventChanges, write, follow } = await operationOver(await newPlace())
      const streams = await Promise.all(Array.from({ length: 200 }, () => follow({})))
      await Promise.all(streams.map(next))
      const following = Promise.all(streams.map(next))
      while (eventChanges.waiting < streams.length) await setImmediate()
      counted.looks = 0
      await write(3)
      assert.deepEqual(new Set(await following), new Set([1]))
      assert.ok(counted.looks <= 1, 'one look, or one that had begun before')
    })

    test('forgets a listener who has gone at once', async () => {
      const { eventChanges, follow } = await operationOver(await newPlace())
      const stream = await follow({})
      await next(stream)
      const following = stream.next()
      while (eventChanges.waiting < 1) await setImmediate()
      leaving.abort()
      assert.equal((await following).done, true)
      assert.equal(eventChanges.waiting, 0)
    })
  })
}
