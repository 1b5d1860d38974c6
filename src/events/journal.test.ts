import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { randomOf } from '../../test/kit/random.ts'
import { bothStores } from '../../test/kit/stores/both-stores.ts'
import {
  createOrganizations,
  journalFunctions,
  readJournal,
  writeEvents,
} from '../../test/kit/stores/journal-store.ts'
import type { Store } from '../store/store.ts'
import { eventId } from './event.ts'
import type { NewEvent } from './stretches/new-stretches.ts'

const organizations = ['org_a', 'org_b', 'org_c', 'org_d', 'org_e', 'org_f']

/** The events of one transaction, which carry its number. */
function eventsOf(work: number, count: number): NewEvent[] {
  const one = (index: number): NewEvent => ({
    type: 'message.queued',
    instance: 'trial',
    data: { work, index },
  })
  return Array.from({ length: count }, (_, index) => one(index))
}

/** The numbers from 1 to the last. */
function upTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1)
}

const thread = new URL('../../test/kit/stores/journal-store-thread.ts', import.meta.url)

for (const { name, skip, newPlace } of await bothStores(journalFunctions, thread)) {
  describe(name, { skip }, () => {
    test('numbers have no gaps, whoever writes at once and whatever fails, and each transaction has its own in a row', async () => {
      const place = await newPlace()
      const stores = [await place(), await place()]
      await stores[0]?.transact(createOrganizations, organizations)
      const random = randomOf(4711)
      const planned = Array.from({ length: 240 }, (_, work) => ({
        work,
        organization: organizations[Math.floor(random() * organizations.length)] as string,
        count: 1 + Math.floor(random() * 3),
        fails: random() < 0.2,
      }))
      const outcomes = await Promise.allSettled(
        planned.map(({ work, organization, count, fails }) => {
          const args = { organization, now: work, events: eventsOf(work, count) }
          const store = stores[work % stores.length] as Store
          return store.transact(writeEvents, { ...args, ...(fails ? { fault: 'the sky fell' } : {}) })
        }),
      )
      for (const { work, fails } of planned)
        assert.equal(outcomes[work]?.status, fails ? 'rejected' : 'fulfilled', `transaction ${work}`)

      const { events, last } = await (stores[0] as Store).read(readJournal, null)
      const kept = planned.filter(({ fails }) => !fails)
      for (const organization of organizations) {
        const own = events.filter((event) => event.organization_id === organization)
        // In the order of the rows: a later event has a later row.
        assert.deepEqual(
          own.map(({ sequence }) => sequence),
          upTo(last.get(organization) ?? 0),
        )
        const works = own.map(({ data }) => JSON.parse(data) as { work: number; index: number })
        const wanted = kept.filter((plan) => plan.organization === organization)
        assert.equal(
          own.length,
          wanted.reduce((sum, { count }) => sum + count, 0),
        )
        for (const [place, { work, index }] of works.entries()) {
          if (index > 0) assert.deepEqual(works[place - 1], { work, index: index - 1 })
        }
      }
      assert.equal(new Set(events.map(eventId)).size, events.length)
    })

    test('what is rolled back leaves no gap, and no events take no number', async () => {
      const store = await (await newPlace())()
      await store.transact(createOrganizations, ['org_a'])
      const write = (events: NewEvent[], fault?: string) =>
        store.transact(writeEvents, { organization: 'org_a', now: 1, events, ...(fault ? { fault } : {}) })
      await write(eventsOf(1, 2))
      await assert.rejects(write(eventsOf(2, 3), 'the sky fell'), /the sky fell/)
      await write([])
      await write(eventsOf(3, 1))
      const { events, last } = await store.read(readJournal, null)
      const stored = events.map(({ sequence, data }) => [sequence, JSON.parse(data).work])
      assert.deepEqual(stored, [
        [1, 1],
        [2, 1],
        [3, 3],
      ])
      assert.equal(last.get('org_a'), 3)
    })

    test('times go with the numbers, even if the clock is set back', async () => {
      const store = await (await newPlace())()
      await store.transact(createOrganizations, ['org_a', 'org_b'])
      const write = (organization: string, now: number) =>
        store.transact(writeEvents, { organization, now, events: eventsOf(1, 1) })
      for (const now of [10, 50, 20, 30, 60]) await write('org_a', now)
      await write('org_b', 20)
      const { events } = await store.read(readJournal, null)
      assert.deepEqual(
        events.map(({ created_at }) => created_at),
        [10, 50, 50, 50, 60, 20],
      )
    })

    test('an event of nobody is a fault, and nothing of its transaction is stored', async () => {
      const store = await (await newPlace())()
      const args = { organization: 'org_none', now: 1, events: eventsOf(1, 1) }
      await assert.rejects(store.transact(writeEvents, args), /belongs to no organization/)
      assert.deepEqual((await store.read(readJournal, null)).events, [])
    })

    test('each organization is announced after the commit of its events, and only then', async () => {
      const store = await (await newPlace())()
      await store.transact(createOrganizations, organizations)
      /** For each announcement: what could be read of the organization when it was heard. */
      const heard: { organization: string; read: Promise<number> }[] = []
      store.onCommit = (_, announced) => {
        for (const organization of announced) {
          const read = store
            .read(readJournal, null)
            .then(({ events }) => events.filter((event) => event.organization_id === organization).length)
          heard.push({ organization, read })
        }
      }
      const write = (organization: string, fault?: string) => {
        const args = { organization, now: 1, events: eventsOf(1, 2) }
        return store.transact(writeEvents, { ...args, ...(fault ? { fault } : {}) }).catch(() => {})
      }
      await Promise.all([
        write('org_a'),
        write('org_b', 'the sky fell'),
        write('org_c'),
        write('org_a'),
        store.transact(writeEvents, { organization: 'org_d', now: 1, events: [] }),
      ])
      const last = new Map<string, number>()
      for (const { organization, read } of heard) {
        const count = await read
        assert.ok(count >= 2, 'what is announced is committed')
        last.set(organization, count)
      }
      // A slow machine commits them in more than one group, and announces each.
      assert.deepEqual([...last].toSorted(), [
        ['org_a', 4],
        ['org_c', 2],
      ])
    })
  })
}
