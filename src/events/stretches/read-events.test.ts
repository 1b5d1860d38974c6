import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { randomOf } from '../../../test/kit/random.ts'
import { bothStores } from '../../../test/kit/stores/both-stores.ts'
import {
  createOrganizations,
  goBackTo,
  journalFunctions,
  readNext,
  readNumbered,
  readStretches,
  writeEvents,
} from '../../../test/kit/stores/journal-store.ts'
import type { EventType } from '../../contract/resources/event.ts'
import type { Store } from '../../store/store.ts'
import { type FeedPlace, lookAtFeed } from '../feed.ts'
import { fitsFilter } from '../feed-filter.ts'
import { forgetEvents } from '../retention.ts'
import { type NewEvent, stretchesOf } from './new-stretches.ts'

const thread = new URL('../../../test/kit/stores/journal-store-thread.ts', import.meta.url)

/** An event as it would be in a row of its own. */
interface SingleEvent {
  readonly sequence: number
  readonly epoch: string
  readonly type: EventType
  readonly instance_name: string | null
  readonly created_at: number
  readonly message_seq: number | null
  readonly data: string
}

const types: readonly EventType[] = ['message.queued', 'message.sent', 'message.received', 'instance.created']

/** A journal beside a list of its events, to which everything happens that happens to the journal. */
class Story {
  readonly #store: Store
  readonly #random: () => number
  /** True if its events are about messages; the feed would ask for them. */
  readonly #ofMessages: boolean
  readonly organization: string
  events: SingleEvent[] = []
  #last = 0
  epoch = ''
  #seq = 0
  #now = 1

  constructor(store: Store, random: () => number, { ofMessages }: { readonly ofMessages: boolean }) {
    this.#store = store
    this.#random = random
    this.#ofMessages = ofMessages
    this.organization = ofMessages ? 'org_of_messages' : 'org_a'
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count)
  }

  #one<T>(values: readonly T[]): T {
    return values[this.#below(values.length)] as T
  }

  /** Appends events in one transaction: runs of one type and instance, some with data that is long. */
  async append(): Promise<void> {
    const events: NewEvent[] = []
    for (let runs = 1 + this.#below(4); runs > 0; runs--) {
      const type = this.#one(types)
      const instance = this.#one(['first', 'second', null])
      const longest = this.#one([1, 10, 900])
      for (let count = 1 + this.#below(this.#one([1, 3, 150])); count > 0; count--) {
        this.#seq += 1 + this.#below(3)
        const message = { seq: this.#seq, instance: `id-${instance}` }
        const data = this.#below(3) === 0 ? { error: 'x'.repeat(this.#below(longest)) } : { attempts: 1 }
        events.push({ type, instance, data, ...(this.#ofMessages && { message }) })
      }
    }
    this.#now += this.#below(3)
    await this.#store.transact(writeEvents, { organization: this.organization, now: this.#now, events })
    for (const { type, instance, message, data } of stretchesOf(events).flatMap(({ events }) => events))
      this.events.push({
        ...{ sequence: ++this.#last, epoch: this.epoch, type, instance_name: instance },
        ...{ created_at: this.#now, message_seq: message?.seq ?? null, data: JSON.stringify(data) },
      })
  }

  /** Goes back to a moment between two transactions, as a restore does; returns true if it did. */
  async goBack(epoch: string): Promise<boolean> {
    const times = [...new Set(this.events.map(({ created_at }) => created_at))]
    const at = this.#one(times.slice(1)) ?? 0
    const kept = this.events.filter(({ created_at }) => created_at < at)
    if (kept.length === 0) return false
    this.events = kept
    this.#last = kept.at(-1)?.sequence ?? 0
    const { organization } = this
    await this.#store.transact(goBackTo, { organization, sequence: this.#last, epoch })
    return true
  }

  /** The time of one of the events. */
  oneTime(): number {
    return this.#one(this.events)?.created_at ?? 0
  }

  /** Asks for some of it in every way, and compares. */
  async check(): Promise<void> {
    const { organization, events } = this
    const first = events[0]?.sequence ?? this.#last + 1
    const [after, limit] = [first - 3 + this.#below(events.length + 5), 1 + this.#below(200)]
    const until = after + this.#below(300)
    const between = events.filter(({ sequence }) => sequence > after && sequence <= until).slice(0, limit)
    const next = await this.#store.read(readNext, { organization, after, until, limit })
    assert.deepEqual(next.map(singleOf), between)

    const numbers = Array.from({ length: this.#below(60) }, () => first - 5 + this.#below(events.length + 10))
    const numbered = await this.#store.read(readNumbered, { organization, numbers })
    const wanted = events.filter(({ sequence }) => numbers.includes(sequence))
    assert.deepEqual(numbered.events.map(singleOf).toSorted(bySequence), wanted)
    assert.deepEqual(
      numbered.lengths
        .toSorted(bySequence)
        .map(({ sequence, message_seq, bytes }) => [sequence, message_seq, bytes]),
      wanted.map(({ sequence, message_seq, data }) => [sequence, message_seq, data.length]),
    )
    assert.equal(numbered.oldest, events[0]?.sequence ?? null)
    if (!this.#ofMessages) await this.#checkFeed(Math.max(after, first - 1), limit)
  }

  async #checkFeed(after: number, limit: number): Promise<void> {
    const { organization, events } = this
    const place: FeedPlace = {
      ...{ organization, epoch: this.epoch, limit },
      after: Math.min(after, this.#last),
      types: this.#one([null, ['message.sent', 'message.queued'] as const]),
      instances: this.#one([null, ['second']]),
      seen: this.#one([null, null, ['first']]),
    }
    const fits = fitsFilter(place)
    const rest = events.filter((event) => event.sequence > Number(place.after))
    const looked = await this.#store.read(lookAtFeed, place)
    if ('lost' in looked) return assert.fail(looked.lost)
    const wanted = rest.filter(({ sequence }) => sequence <= looked.next).filter(fits)
    assert.deepEqual(looked.rows.map(singleOf), wanted)
    assert.ok(looked.rows.length <= limit)
    assert.ok(looked.atEnd ? looked.next === this.#last : looked.next > Number(place.after))
    if (!looked.atEnd) assert.ok(looked.rows.length === limit || looked.next - Number(place.after) >= 2_000)
  }
}

/** Lets retention remove what is older, in steps. */
async function forget(store: Store, before: number, limit: () => number): Promise<void> {
  let after: string | null = ''
  while (after !== null) {
    const old = { before, limit: limit(), after }
    const done: { readonly next: string | null } = await store.transact(forgetEvents, old)
    after = done.next
  }
}

function singleOf({
  sequence,
  epoch,
  type,
  instance_name,
  created_at,
  message_seq,
  data,
}: SingleEvent): SingleEvent {
  return { sequence, epoch, type, instance_name, created_at, message_seq, data }
}

const bySequence = (a: { readonly sequence: number }, b: { readonly sequence: number }) =>
  a.sequence - b.sequence

for (const { name, skip, newPlace } of await bothStores(journalFunctions, thread)) {
  describe(`stretches of events ${name}`, { skip }, () => {
    for (const seed of [1, 2, 3, 4])
      test(`are read as if each event had a row of its own, story ${seed}`, async () => {
        const store = await (await newPlace())()
        await store.transact(createOrganizations, ['org_a', 'org_of_messages'])
        const random = randomOf(seed)
        const stories = [true, false].map((ofMessages) => new Story(store, random, { ofMessages }))
        const counts = new Set<number>()
        for (let chapter = 0; chapter < 12; chapter++) {
          for (const { count } of await store.read(readStretches, null)) counts.add(count)
          for (const story of stories) {
            for (let times = 1 + Math.floor(random() * 3); times > 0; times--) await story.append()
            const epoch = `${story.organization} ${chapter}`
            if (random() < 0.2 && (await story.goBack(epoch))) for (const each of stories) each.epoch = epoch
            for (let times = 0; times < 4; times++) await story.check()
            if (random() < 0.3) {
              const before = story.oneTime()
              await forget(store, before, () => 1 + Math.floor(random() * 120))
              for (const each of stories)
                each.events = each.events.filter(({ created_at: at }) => at >= before)
              await story.check()
            }
          }
        }
        assert.ok(counts.has(1) && [...counts].some((count) => count > 30))
      })
  })
}
