import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { bothStores } from '../../test/kit/stores/both-stores.ts'
import {
  createOrganizations,
  goBackTo,
  journalFunctions,
  writeEvents,
} from '../../test/kit/stores/journal-store.ts'
import type { EventType } from '../contract/resources/event.ts'
import type { Store } from '../store/store.ts'
import { type FeedPage, type FeedPlace, lookAtFeed, lookedThrough } from './feed.ts'
import { forgetEvents } from './retention.ts'
import type { NewEvent } from './stretches/new-stretches.ts'

const thread = new URL('../../test/kit/stores/journal-store-thread.ts', import.meta.url)

const everything: FeedPlace = {
  organization: 'org_a',
  types: null,
  instances: null,
  seen: null,
  after: 'oldest',
  limit: 100,
}

/** More events than one look goes through. `message.failed` is rare, and so are events about `seldom` or about no instance. */
const journal: readonly NewEvent[] = Array.from({ length: 3 * lookedThrough + 7 }, (_, index) => ({
  type: index % 1_999 === 1_000 ? 'message.failed' : index % 3 === 0 ? 'message.queued' : 'message.sent',
  instance:
    index % 2_503 === 4 ? null : index % 1_501 === 9 ? 'seldom' : index % 2 === 0 ? 'first' : 'second',
  data: { index },
}))

function fits({ type, instance }: NewEvent, { types, instances, seen }: FeedPlace): boolean {
  // Events about no instance are shown only to callers who may see all instances.
  if (seen && (instance === null || !seen.includes(instance))) return false
  return (!types || types.includes(type)) && (!instances || instance === null || instances.includes(instance))
}

async function look(store: Store, place: FeedPlace): Promise<FeedPage> {
  const looked = await store.read(lookAtFeed, place)
  return 'lost' in looked ? assert.fail(`the feed is lost: ${looked.lost}`) : looked
}

/** Reads on until the end, as a caller does, and returns the numbers of the events. */
async function readAll(store: Store, place: FeedPlace): Promise<number[]> {
  const shown: number[] = []
  for (let after = place.after; ; ) {
    const { rows, next, atEnd } = await look(store, { ...place, after })
    assert.ok(rows.length <= place.limit, 'a look shows no more than is wanted')
    assert.ok(atEnd || next > Number(after === 'oldest' ? -1 : after), 'every look leads on')
    assert.ok(rows.every(({ sequence }) => sequence <= next))
    shown.push(...rows.map(({ sequence }) => sequence))
    if (atEnd) return shown
    after = next
  }
}

const places = fc.record({
  organization: fc.constant('org_a'),
  types: fc.option(
    fc.subarray<EventType>(['message.failed', 'message.queued', 'instance.created'], { minLength: 1 }),
  ),
  instances: fc.option(fc.subarray(['first', 'seldom', 'nobody'], { minLength: 1 })),
  seen: fc.option(fc.subarray(['first', 'seldom', 'nobody'], { minLength: 1 })),
  after: fc.oneof(fc.constant('oldest' as const), fc.integer({ min: 0, max: journal.length })),
  limit: fc.integer({ min: 40, max: 900 }),
})

for (const { name, skip, newPlace } of await bothStores(journalFunctions, thread)) {
  describe(`the feed ${name}`, { skip }, () => {
    test('shows every event that fits once, in order, however it is read', async () => {
      const store = await (await newPlace())()
      await store.transact(createOrganizations, ['org_a', 'org_b'])
      for (let from = 0; from < journal.length; from += 500) {
        const events = journal.slice(from, from + 500)
        await store.transact(writeEvents, { organization: 'org_a', now: from, events })
        await store.transact(writeEvents, { organization: 'org_b', now: from, events: events.slice(0, 5) })
      }
      await fc.assert(
        fc.asyncProperty(places, async (place) => {
          const first = place.after === 'oldest' ? 0 : place.after
          const wanted = journal.flatMap((event, index) =>
            index >= first && fits(event, place) ? [index + 1] : [],
          )
          assert.deepEqual(await readAll(store, place), wanted)
        }),
        { numRuns: 40, endOnFailure: true },
      )
      assert.equal((await readAll(store, { ...everything, organization: 'org_b' })).length, 13 * 5)
    })

    test('says at once where it ends, also to callers who want only what comes', async () => {
      const store = await (await newPlace())()
      await store.transact(createOrganizations, ['org_a'])
      const empty = { rows: [], next: 0, epoch: '', atEnd: true }
      assert.deepEqual(await look(store, everything), empty)
      assert.deepEqual(await look(store, { ...everything, after: 0 }), empty)
      assert.deepEqual(await look(store, { ...everything, organization: 'org_none' }), empty)
      await store.transact(writeEvents, { organization: 'org_a', now: 1, events: journal.slice(0, 3) })
      assert.deepEqual(await look(store, { ...everything, after: 'latest' }), { ...empty, next: 3 })
      const some = await look(store, { ...everything, limit: 2 })
      assert.deepEqual([some.next, some.atEnd], [2, false])
      const rest = await look(store, { ...everything, limit: 2, after: 2 })
      assert.deepEqual([rest.rows.length, rest.next, rest.atEnd], [1, 3, true])
    })

    test('is lost if events after it were removed, or if the feed has not reached it; no event is ever left out', async () => {
      const store = await (await newPlace())()
      await store.transact(createOrganizations, ['org_a'])
      const write = (now: number) =>
        store.transact(writeEvents, { organization: 'org_a', now, events: journal.slice(0, 2) })
      const after = (number: number, place: Partial<FeedPlace> = {}) =>
        store.read(lookAtFeed, { ...everything, ...place, after: number })
      await write(1)
      await write(2)
      await store.transact(forgetEvents, { before: 2, limit: 100, after: '' })
      for (const number of [0, 1]) assert.deepEqual(await after(number), { lost: 'removed' })
      // Also if the filter would have left out the removed events: that cannot be known afterwards.
      assert.deepEqual(await after(1, { types: ['webhook.test'] }), { lost: 'removed' })
      assert.deepEqual(await after(5), { lost: 'ahead' })
      assert.deepEqual(await readAll(store, everything), [3, 4])
      assert.deepEqual(await readAll(store, { ...everything, after: 2 }), [3, 4])

      await store.transact(forgetEvents, { before: 3, limit: 100, after: '' })
      assert.deepEqual(await after(3), { lost: 'removed' })
      assert.deepEqual(await after(4), { rows: [], next: 4, epoch: '', atEnd: true })
      assert.deepEqual(await look(store, everything), { rows: [], next: 4, epoch: '', atEnd: true })
      await write(3)
      assert.deepEqual(await readAll(store, { ...everything, after: 4 }), [5, 6])
    })

    test('leads whoever comes from before a restore to the last event that both histories have', async () => {
      const store = await (await newPlace())()
      await store.transact(createOrganizations, ['org_a'])
      const write = () =>
        store.transact(writeEvents, { organization: 'org_a', now: 1, events: journal.slice(0, 6) })
      const readFrom = (epoch: string, after: number) =>
        store.read(lookAtFeed, { ...everything, epoch, after })
      await write()
      await store.transact(goBackTo, { organization: 'org_a', sequence: 4, epoch: 'b' })
      await write()
      await store.transact(goBackTo, { organization: 'org_a', sequence: 7, epoch: 'c' })
      await write()
      // All of these numbers have been given again.
      const restored = { lost: 'restored', epoch: 'c' }
      assert.deepEqual(await readFrom('', 6), { ...restored, next: 4, at: 4 })
      assert.deepEqual(await readFrom('', 3), { ...restored, next: 3, at: 4 })
      assert.deepEqual(await readFrom('b', 10), { ...restored, next: 7, at: 7 })
      assert.deepEqual(await readFrom('b', 5), { ...restored, next: 5, at: 7 })
      assert.deepEqual(await readFrom('another', 5), { ...restored, next: 0, at: null })
      const { rows } = await look(store, { ...everything, epoch: 'c', after: 7 })
      assert.deepEqual(
        rows.map(({ epoch, sequence }) => `${epoch}.${sequence}`),
        [8, 9, 10, 11, 12, 13].map((sequence) => `c.${sequence}`),
      )
      await store.transact(forgetEvents, { before: 2, limit: 100, after: '' })
      assert.deepEqual(await readFrom('', 3), { ...restored, next: 13, at: 4 })
    })
  })
}
