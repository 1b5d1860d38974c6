import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { CountedChanges } from '../../test/kit/counted-changes.ts'
import { FakeTime } from '../../test/kit/fake-time.ts'
import { bothStores } from '../../test/kit/stores/both-stores.ts'
import {
  createOrganizations,
  goBackTo,
  journalFunctions,
  writeEvents,
} from '../../test/kit/stores/journal-store.ts'
import type { EventType } from '../contract/resources/event.ts'
import { type Store, StoreUnavailable } from '../store/store.ts'
import { EventTails, emptied, type Follower } from './event-tails.ts'
import type { FeedPlace, LostPlace } from './feed.ts'
import type { RenderedPage } from './recent-events.ts'
import { forgetEvents } from './retention.ts'
import type { NewEvent } from './stretches/new-stretches.ts'

const thread = new URL('../../test/kit/stores/journal-store-thread.ts', import.meta.url)
const organization = 'org_a'
const never = new AbortController().signal
const long = 600_000

const everything: FeedPlace = {
  ...{ organization, types: null, instances: null, seen: null },
  ...{ after: 'latest', limit: 50 },
}

/** Tails over a store in which the test writes; `reads` counts how often the store was asked. */
async function tailsOver(place: () => Promise<Store>) {
  const store = await place()
  await store.transact(createOrganizations, [organization])
  const eventChanges = new CountedChanges()
  const time = new FakeTime()
  /** With `held`, a read has its rows and gives them when that resolves. */
  const counted = { reads: 0, isAway: false, held: undefined as Promise<void> | undefined }
  store.onCommit = (_, announced) => {
    for (const id of announced) eventChanges.notify(id)
  }
  const read: Store['read'] = async (query, args) => {
    counted.reads++
    if (counted.isAway) throw new StoreUnavailable('away')
    const rows = await store.read(query, args)
    await counted.held
    return rows
  }
  const renderMessage = () => assert.fail('no event here is about a message')
  const tails = new EventTails({ store: { read }, clock: time.clock, eventChanges, renderMessage })
  const write = (events: readonly NewEvent[]) =>
    store.transact(writeEvents, { organization, now: 1, events: [...events] })
  return { store, time, counted, eventChanges, tails, write }
}

function shown(page: RenderedPage | LostPlace): RenderedPage {
  return 'lost' in page ? assert.fail(`the feed is lost: ${page.lost}`) : page
}

/** Waits for the next page in which something fits, as an operation does. */
async function nextPage(follower: Follower, place: FeedPlace, signal = never): Promise<RenderedPage> {
  let from: Partial<FeedPlace> = {}
  for (;;) {
    const page = shown(await follower.look({ ...place, ...from }))
    if (page.events.length > 0 || !page.atEnd || signal.aborted) return page
    from = await follower.next({ ...place, epoch: page.epoch, after: page.next }, long, signal)
  }
}

const event = (type: EventType, instance: string | null, data = {}): NewEvent => ({ type, instance, data })

/** Returns the events of a text that is sent from an instance. */
const textFrom = (instance: string) =>
  (['message.queued', 'message.sent', 'message.delivered'] as const).map((type) => event(type, instance))

const names = ['one', 'two', 'three', null]
const types = ['message.queued', 'message.sent', 'instance.created'] as const

const filters = fc.record({
  types: fc.option(fc.subarray<EventType>([...types], { minLength: 1 })),
  instances: fc.option(fc.subarray(['one', 'two', 'nobody'], { minLength: 1 })),
  seen: fc.option(fc.subarray(['one', 'three', 'nobody'], { minLength: 1 })),
  after: fc.integer({ min: 0, max: 150 }),
  limit: fc.integer({ min: 1, max: 60 }),
})

for (const { name, skip, newPlace } of await bothStores(journalFunctions, thread)) {
  describe(`recent events ${name}`, { skip }, () => {
    test('are the same from memory as from the store, whatever the filter, the place and the limit', async () => {
      const { tails, counted, write } = await tailsOver(await newPlace())
      const follower = tails.follow(organization)
      await follower.look(everything)
      for (let count = 0; count < 150; count += 5)
        await write(
          Array.from({ length: 5 }, (_, index) =>
            event(
              types[(count + index) % types.length] as EventType,
              names[(count + index) % names.length] as string,
            ),
          ),
        )
      await follower.look({ ...everything, after: 0, epoch: '' })
      await fc.assert(
        fc.asyncProperty(filters, async (filter) => {
          const place = { ...everything, ...filter, epoch: '' }
          const kept = await tails.look(place)
          counted.reads = 0
          assert.deepEqual(await follower.look(place), kept)
          assert.equal(counted.reads, 0)
        }),
        { numRuns: 300, endOnFailure: true },
      )
      follower.end()
    })

    test('are read a few times for each text, while a thousand wait with filters of their own', async (t) => {
      const { tails, counted, eventChanges, write } = await tailsOver(await newPlace())
      const many = 1_000
      const texts = 20
      const going = new AbortController()
      t.after(() => going.abort())
      const instanceOf = (at: number) => `i${at % 10}`
      const waits = Array.from({ length: many }, async (_, at) => {
        const place = {
          ...everything,
          types: [types[at % 3] as EventType, 'message.delivered' as const],
          instances: [instanceOf(at), `other ${at}`],
        }
        const seen: number[] = []
        for (let from: Partial<FeedPlace> = {}; !going.signal.aborted; ) {
          const follower = tails.follow(organization)
          const page = await nextPage(follower, { ...place, ...from }, going.signal)
          follower.end()
          for (const one of page.events) seen.push(one.sequence)
          from = { epoch: page.epoch, after: page.next }
        }
        return seen
      })
      const allWait = async () => {
        while (eventChanges.waiting < many && !going.signal.aborted) await setImmediate()
      }
      const ended = Promise.all(waits)
      await Promise.race([allWait(), ended])
      counted.reads = 0
      for (let text = 0; text < texts; text++) {
        await write(textFrom(instanceOf(text)))
        await Promise.race([allWait(), ended])
      }
      const { reads } = counted
      going.abort()
      const wanted = (at: number) =>
        Array.from({ length: texts }, (_, text) => text)
          .filter((text) => instanceOf(text) === instanceOf(at))
          .flatMap((text) => [...(at % 3 === 2 ? [] : [3 * text + 1 + (at % 3)]), 3 * text + 3])
      for (const [at, seen] of (await ended).entries()) assert.deepEqual(seen, wanted(at))
      assert.ok(reads <= 2 * texts, `${reads} reads for ${texts} texts`)
    })

    test('are read on while more come than one read has, and shown whole to who is slower', async () => {
      const { tails, eventChanges, write } = await tailsOver(await newPlace())
      const [follower, slow] = [tails.follow(organization), tails.follow(organization)]
      const place = { ...everything, types: ['instance.created' as const] }
      const waiting = nextPage(follower, place)
      const behind = shown(await slow.look(everything))
      while (eventChanges.waiting < 1) await setImmediate()
      const large = { text: 'x'.repeat(10_000) }
      for (let count = 0; count < 3; count++)
        await write(Array.from({ length: 300 }, () => event('message.sent', 'one', large)))
      await write([event('instance.created', 'one')])
      assert.deepEqual(
        (await waiting).events.map(({ sequence }) => sequence),
        [901],
      )
      const seen: number[] = []
      for (let from = behind; seen.length < 901; ) {
        const { epoch, next } = from
        from = shown(await slow.look({ ...everything, epoch, after: next }))
        for (const { sequence } of from.events) seen.push(sequence)
      }
      assert.deepEqual(
        seen,
        Array.from({ length: 901 }, (_, index) => index + 1),
      )
    })

    test('that nobody announced are seen after a moment', async () => {
      const { store, time, tails, write } = await tailsOver(await newPlace())
      const follower = tails.follow(organization)
      await follower.look(everything)
      store.onCommit = () => {}
      await write(textFrom('one'))
      time.pass(1_000)
      assert.equal(shown(await follower.look({ ...everything, epoch: '', after: 0 })).events.length, 3)
    })

    test('are not kept for who comes after all have gone, nor longer than some minutes', async () => {
      const { store, time, tails, write } = await tailsOver(await newPlace())
      const follower = tails.follow(organization)
      await follower.look(everything)
      await write(textFrom('one'))
      const first = { ...everything, epoch: '', after: 0 }
      assert.equal(shown(await follower.look(first)).events.length, 3)
      await store.transact(forgetEvents, { before: 2, limit: 100, after: '' })
      time.pass(600_001)
      await write(textFrom('two'))
      await follower.look({ ...first, after: 3 })
      assert.deepEqual(await follower.look(first), { lost: 'removed' })
      follower.end()
      assert.deepEqual(await tails.follow(organization).look(first), { lost: 'removed' })
    })

    test('are read from the store again once what they say was emptied, and nobody misses what came meanwhile', async () => {
      const { tails, counted, eventChanges, write } = await tailsOver(await newPlace())
      const follower = tails.follow(organization)
      await follower.look(everything)
      const first = { ...everything, epoch: '', after: 0 }
      await write(textFrom('one'))
      assert.equal(shown(await follower.look(first)).events.length, 3)
      const held = Promise.withResolvers<void>()
      const following = nextPage(follower, { ...first, after: 3 })
      while (eventChanges.waiting < 1) await setImmediate()
      counted.held = held.promise
      const { reads } = counted
      await write(textFrom('two'))
      while (counted.reads === reads) await setImmediate()
      // The read under way has rows from before they were emptied.
      eventChanges.hear(emptied(organization))
      counted.held = undefined
      held.resolve()
      assert.equal((await following).events.length, 3)
      counted.reads = 0
      assert.equal(shown(await follower.look(first)).events.length, 6)
      assert.equal(counted.reads, 1)
      follower.end()
    })

    test('end with the history that they belong to: whoever waits is told of the restore', async () => {
      const { store, tails, eventChanges, write } = await tailsOver(await newPlace())
      const follower = tails.follow(organization)
      await write(textFrom('one'))
      const { epoch, next } = shown(await follower.look(everything))
      const place = { ...everything, types: ['webhook.test' as const], epoch, after: next }
      const woken = follower.next(place, long, never)
      while (eventChanges.waiting < 1) await setImmediate()
      await store.transact(goBackTo, { organization, sequence: 1, epoch: 'b' })
      await write(textFrom('one'))
      assert.deepEqual(await follower.look({ ...place, ...(await woken) }), {
        ...{ lost: 'restored', epoch: 'b', next: 1, at: 1 },
      })
      const now = shown(await follower.look({ ...everything, epoch: 'b', after: 1 }))
      assert.deepEqual([now.events.length, now.epoch, now.atEnd], [3, 'b', true])
      const following = nextPage(follower, { ...everything, epoch: 'b', after: now.next })
      await write(textFrom('two'))
      assert.ok((await following).events.length > 0)
    })

    test('that cannot be read make nobody wait in vain: each is told that the store is away, and sees them later', async () => {
      const { tails, counted, eventChanges, write } = await tailsOver(await newPlace())
      const follower = tails.follow(organization)
      const waiting = assert.rejects(nextPage(follower, everything), StoreUnavailable)
      while (eventChanges.waiting < 1) await setImmediate()
      counted.isAway = true
      await write(textFrom('one'))
      await waiting
      counted.isAway = false
      assert.equal(shown(await follower.look({ ...everything, epoch: '', after: 0 })).events.length, 3)
    })
  })
}
