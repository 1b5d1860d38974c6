import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bothStores } from '../../../test/kit/stores/both-stores.ts'
import { createOrganizations, journalFunctions, writeEvents } from '../../../test/kit/stores/journal-store.ts'
import type { EventType } from '../../contract/resources/event.ts'
import type { Store } from '../../store/store.ts'
import type { Span } from '../../store/tables/statistics.ts'
import { forgetEvents } from '../retention.ts'
import { lengthOf } from './interval.ts'
import {
  countedTime,
  countSomeEvents,
  forgetMinutes,
  forgetStatistics,
  readCounts,
} from './statistics-store.ts'

const thread = new URL('../../../test/kit/stores/journal-store-thread.ts', import.meta.url)
const organization = 'org_a'
const { hour, day } = lengthOf

/** Appends an event for each of these instances. */
async function append(
  store: Store,
  now: number,
  type: EventType,
  instances: readonly (string | null)[],
  data: object = {},
) {
  const events = instances.map((instance) => ({ type, instance, data }))
  await store.transact(writeEvents, { organization, now, events })
}

/**
 * Returns the counts of an instance, or of all, by the beginning of the hour or the day; without latencies, because there
 * are none.
 */
async function countsOf(store: Store, instance: string, span: Span = 'hour') {
  const { rows } = await store.read(readCounts, {
    ...{ organization, span, instances: [instance] },
    from: 0,
    to: 1_000 * day,
  })
  const counts = rows.map(({ starts_at, counts }) => {
    const { to_sent, to_delivered, failed_with: _, ...numbers } = JSON.parse(counts)
    assert.deepEqual({ ...to_sent, ...to_delivered }, {})
    return [starts_at / lengthOf[span], numbers] as const
  })
  return Object.fromEntries(counts)
}

for (const { name, skip, newPlace } of await bothStores(journalFunctions, thread)) {
  const newStore = async () => {
    const store = await (await newPlace())()
    await store.transact(createOrganizations, [organization, 'org_b'])
    return store
  }
  const count = (store: Store, limit = 100, instancesAtMost = 10) =>
    store.transact(countSomeEvents, { organization, limit, instancesAtMost })

  describe(`events are counted ${name}`, { skip }, () => {
    test('once each, by instance and for all, in the hour and on the day in which they happened', async () => {
      const store = await newStore()
      await append(store, 5 * hour, 'message.queued', ['shop', 'desk', 'shop'])
      await append(store, 6 * hour - 1, 'message.failed', ['shop'])
      await append(store, 6 * hour, 'message.sent', ['desk', null])
      await append(store, 25 * hour, 'message.queued', ['shop'])
      await append(store, 25 * hour, 'instance.created', ['shop'])
      await append(store, 25 * hour, 'message.sent_elsewhere', ['shop'])
      // In steps that end in the middle of an hour; those after the last find nothing.
      for (const more of [true, true, true, true, false, false])
        assert.equal((await count(store, 2)).more, more)
      assert.deepEqual(await countsOf(store, 'shop'), { 5: { accepted: 2, failed: 1 }, 25: { accepted: 1 } })
      assert.deepEqual(await countsOf(store, 'desk'), { 5: { accepted: 1 }, 6: { sent: 1 } })
      const ofAll = { 5: { accepted: 3, failed: 1 }, 6: { sent: 2 }, 25: { accepted: 1 } }
      assert.deepEqual(await countsOf(store, ''), ofAll)
      assert.deepEqual(await countsOf(store, '', 'day'), {
        0: { accepted: 3, failed: 1, sent: 2 },
        1: { accepted: 1 },
      })
      assert.deepEqual(await countsOf(store, 'desk', 'day'), { 0: { accepted: 1, sent: 1 } })
      assert.deepEqual(await countsOf(store, 'shop', 'minute'), {
        300: { accepted: 2 },
        359: { failed: 1 },
        1500: { accepted: 1 },
      })
      assert.deepEqual(await countsOf(store, '', 'minute'), {
        300: { accepted: 3 },
        359: { failed: 1 },
        360: { sent: 2 },
        1500: { accepted: 1 },
      })
    })

    test('by the error with which messages failed, of which no more are told apart than there is room for', async () => {
      const store = await newStore()
      const fail = (code: string) =>
        append(store, 1, 'message.failed', ['shop'], {
          error: JSON.stringify({ code, detail: 'It failed.' }),
        })
      for (let number = 0; number < 45; number++) await fail(`error_${number}`)
      await count(store, 20)
      for (const code of ['error_0', 'toString', '__proto__', 'error_44']) await fail(code)
      while ((await count(store, 20)).more);
      const { rows } = await store.read(readCounts, {
        ...{ organization, span: 'hour', instances: [''], from: 0, to: hour },
      })
      const { failed, failed_with } = JSON.parse(rows[0]?.counts ?? '{}')
      assert.equal(failed, 49)
      assert.equal(Object.keys(failed_with).length, 41)
      assert.deepEqual([failed_with[':error_0'], failed_with[':error_39'], failed_with.other], [2, 1, 8])
    })

    test('up to the first that is not', async () => {
      const store = await newStore()
      const oldest = async () => (await store.read(countedTime, { organization })).uncounted
      assert.equal(await oldest(), null)
      await append(store, 7, 'message.queued', ['shop'])
      await append(store, 9, 'message.queued', ['shop'])
      assert.equal(await oldest(), 7)
      await count(store, 1)
      assert.equal(await oldest(), 9)
      await count(store, 1)
      assert.equal(await oldest(), null)
    })

    test('for no more instances of an hour or a day than there is room for; all are in the counts of all', async () => {
      const store = await newStore()
      await append(store, 1, 'message.queued', ['a', 'b'])
      await count(store, 100, 3)
      await append(store, 2, 'message.queued', ['c', 'd', 'a', 'e', 'd'])
      await append(store, hour, 'message.queued', ['e'])
      await count(store, 100, 3)
      const counted = async (span: Span) => {
        const rows = ['', 'a', 'b', 'c', 'd', 'e'].map((instance) => countsOf(store, instance, span))
        return (await Promise.all(rows)).map((own) => own[0]?.accepted ?? 0)
      }
      assert.deepEqual(await counted('hour'), [7, 2, 1, 1, 0, 0])
      assert.deepEqual(await countsOf(store, 'e'), { 1: { accepted: 1 } }, 'the next hour has room again')
      assert.deepEqual(await counted('day'), [8, 2, 1, 1, 0, 0])
      await append(store, 2 * hour, 'message.queued', ['a', 'b', 'c'])
      await store.transact(countSomeEvents, { organization, limit: 10, instancesAMinute: 2 })
      const ofMinute = async (instance: string) => (await countsOf(store, instance, 'minute'))[120]?.accepted
      assert.deepEqual(await Promise.all(['', 'a', 'b', 'c'].map(ofMinute)), [3, 1, 1, undefined])
    })

    test('before they are forgotten', async () => {
      const store = await newStore()
      await append(store, 1, 'message.queued', ['shop', 'shop', 'shop'])
      await count(store, 1)
      await append(store, hour, 'message.queued', ['shop'])
      const { forgotten } = await store.transact(forgetEvents, { before: hour, limit: 100, after: '' })
      assert.equal(forgotten, 3)
      assert.deepEqual(await countsOf(store, ''), { 0: { accepted: 3 } })
      await count(store)
      assert.deepEqual(await countsOf(store, ''), { 0: { accepted: 3 }, 1: { accepted: 1 } })
    })

    test('and the counts are kept for their time', async () => {
      const store = await newStore()
      for (const at of [0, hour, day, day + hour]) await append(store, at, 'message.queued', ['shop'])
      await count(store)
      const forget = (limit: number) => store.transact(forgetStatistics, { before: day, limit })
      const forgetSome = (limit: number) => store.transact(forgetMinutes, { before: day, limit })
      assert.equal(await forgetSome(3), 3)
      assert.equal(await forgetSome(3), 1)
      assert.deepEqual(Object.keys(await countsOf(store, 'shop', 'minute')), ['1440', '1500'])
      assert.equal(await forget(5), 5)
      assert.equal(await forget(5), 1)
      assert.deepEqual(Object.keys(await countsOf(store, '', 'minute')), ['1440', '1500'])
      assert.deepEqual(Object.keys(await countsOf(store, 'shop')), ['24', '25'])
      assert.deepEqual(Object.keys(await countsOf(store, '', 'day')), ['1'])
    })
  })
}
