import { type ByteAccount, ByteBudget, type Holding } from '../runtime/limits/byte-budget.ts'
import { SingleFlight } from '../runtime/single-flight.ts'
import type { StoreForAll } from '../store/store.ts'
import type { EventContext } from './context.ts'
import { type EventRow, renderEvent } from './event.ts'
import { type FeedPage, type FeedPlace, type LostPlace, lookAtFeed } from './feed.ts'
import { fitsFilter } from './feed-filter.ts'
import { type RecentEvent, RecentEvents, type RenderedPage } from './recent-events.ts'

type Context = Pick<EventContext, 'clock' | 'eventChanges' | 'renderMessage'> & {
  readonly store: Pick<StoreForAll, 'read'>
}

/** A place in the feed, with an event or none that fits after it. */
interface Reached {
  readonly epoch: string
  readonly after: number
}

/** A follower of the events of an organization. */
export interface Follower {
  /** The page from a place, from memory if it is recent. */
  look(place: FeedPlace): Promise<RenderedPage | LostPlace>
  /**
   * Resolves when an event fits after the place, after `ms` milliseconds, when `signal` aborts, or when only a look can say what
   * follows. Also when any event came, if `mayPass` then says so. Returns a place before which no other event fits.
   */
  next(place: FeedPlace & Reached, ms: number, signal: AbortSignal, mayPass?: () => boolean): Promise<Reached>
  end(): void
}

/** The most that is kept for one organization, and for all together, in bytes. */
const keptForOne = 512 * 1024
const limits = { connection: keptForOne, organization: keptForOne, server: 16 * 1024 * 1024 }
/** Milliseconds for which an event is kept: events that the store forgets must be forgotten here as well. */
const keptFor = 10 * 60_000
/** Milliseconds for which a tail assumes, without a look, that no event was added without an announcement. */
const believedFor = 1_000
/** Number of events read at once. */
const readAtOnce = 200
const endOfFeed = { types: null, instances: null, seen: null, after: 'latest', limit: 1 } as const
/** The topic of those who keep events of an organization: what some of them say was emptied. */
export const emptied = (organization: string) => `emptied ${organization}`
/** It is not known what was announced before a read. */
const nothingKnown = -1

/**
 * The last events of each organization that has followers, read once for all of them, even if their filters differ: a
 * follower asks the store only about older events. The memory for them is bounded; if all of them take too much, the
 * organization with the most gives.
 */
export class EventTails {
  readonly #context: Context
  readonly #budget = new ByteBudget(limits)
  readonly #tails = new Map<string, Tail>()
  /** Those who want the same older events share a read. */
  readonly #readings = new SingleFlight<RenderedPage | LostPlace>()

  constructor(context: Context) {
    this.#context = context
  }

  /** Reads a page from the store. */
  look(place: FeedPlace): Promise<RenderedPage | LostPlace> {
    const { store, renderMessage } = this.#context
    return this.#readings.read(JSON.stringify(place), async () => {
      const looked = await store.read(lookAtFeed, place, { party: place.organization })
      if ('lost' in looked) return looked
      const { rows, next, epoch, atEnd } = looked
      return { events: rows.map((row) => renderEvent(row, renderMessage)), next, epoch, atEnd }
    })
  }

  /** Follows the events of an organization until `end` is called; `first` is what was read before, if anything was. */
  follow(organization: string, first?: RenderedPage): Follower {
    const tail = this.#tails.get(organization) ?? this.#begin(organization)
    tail.followers++
    if (first?.atEnd) tail.begin(first, nothingKnown)
    return {
      look: async (place) => {
        // One read tells all followers who come together where the end is, even if their filters differ.
        if (!tail.hasBegun && (place.after === 'latest' || tail.followers > 1))
          await this.#seed(tail, { ...endOfFeed, organization })
        return (await tail.page(place)) ?? this.#seed(tail, place)
      },
      next: (place, ms, signal, mayPass) => tail.next(place, ms, signal, mayPass),
      end: () => {
        if (--tail.followers > 0) return
        tail.end()
        this.#tails.delete(organization)
      },
    }
  }

  #begin(organization: string): Tail {
    const tail = new Tail(organization, this.#context, this.#budget.account(organization))
    this.#tails.set(organization, tail)
    return tail
  }

  /** Reads a page from the store; if it reaches the end of the feed, the tail begins there. */
  async #seed(tail: Tail, place: FeedPlace): Promise<RenderedPage | LostPlace> {
    const { changes } = tail
    const page = await this.look(place)
    if (!('lost' in page) && page.atEnd) tail.begin(page, changes)
    return page
  }
}

/** A follower that waits for an event that fits. */
interface Waiter {
  readonly epoch: string
  after: number
  readonly fits: (event: RecentEvent) => boolean
  readonly mayPass: () => boolean
  readonly topic: string
}

/** The last events of one organization, and who waits for the next. */
class Tail {
  followers = 0
  /** Number of announcements. */
  changes = 0
  readonly #organization: string
  readonly #context: Context
  readonly #account: ByteAccount
  readonly #held: Holding
  readonly #unlisten: readonly (() => void)[]
  readonly #waiters = new Set<Waiter>()
  #recent: RecentEvents | undefined
  /** Number of announcements when the last read began, and the time of that read. */
  #known = nothingKnown
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined
  #isFollowing = false
  #topics = 0

  constructor(organization: string, context: Context, account: ByteAccount) {
    this.#organization = organization
    this.#context = context
    this.#account = account
    this.#held = account.holding('incoming')
    account.onExceeded = () => this.#halve()
    this.#unlisten = [
      context.eventChanges.listen(organization, () => {
        this.changes++
        if (this.#waiters.size > 0) void this.#tellNews()
      }),
      context.eventChanges.listen(emptied(organization), () => this.#forget()),
    ]
  }

  get hasBegun(): boolean {
    return this.#recent !== undefined
  }

  end(): void {
    for (const unlisten of this.#unlisten) unlisten()
    this.#held.end()
  }

  /** The store has nothing after this page, as far as it was announced when it was asked. */
  begin({ epoch, next }: Pick<FeedPage, 'epoch' | 'next'>, known: number): void {
    if (this.#recent?.epoch === epoch && next <= this.#recent.last) return
    this.#keep(new RecentEvents({ epoch, after: next }))
    this.#known = known
    this.#readAt = this.#context.clock.monotonic()
    // Only the store knows what they have missed.
    this.#wake(() => true)
  }

  /** The page from a place, or undefined if only the store knows. */
  async page(place: FeedPlace): Promise<RenderedPage | undefined> {
    const { after, epoch } = place
    if (!this.#recent || after === 'oldest') return undefined
    if (typeof after === 'number' && !this.#recent.covers(epoch ?? this.#recent.epoch, after))
      return undefined
    const wanted = this.changes
    const isFresh = this.#context.clock.monotonic() - this.#readAt < believedFor
    if (!isFresh) await this.#read()
    while (this.#recent && this.#known < wanted) await this.#read()
    return this.#recent?.page(place)
  }

  /** As `Follower.next`. */
  async next(
    place: FeedPlace & Reached,
    ms: number,
    signal: AbortSignal,
    mayPass: () => boolean = () => false,
  ): Promise<Reached> {
    const { epoch, after } = place
    const topic = `${this.#organization} ${this.#topics++}`
    const waiter: Waiter = { epoch, after, fits: fitsFilter(place), mayPass, topic }
    this.#waiters.add(waiter)
    try {
      const change = this.#context.eventChanges.next(topic, ms, signal)
      if (this.#isNews(waiter)) this.#context.eventChanges.notify(topic)
      else if (this.#known < this.changes) void this.#tellNews()
      await change
      return { epoch, after: waiter.after }
    } finally {
      this.#waiters.delete(waiter)
    }
  }

  /** True if a waiter has to look, because an event fits or the tail does not know. If not, it has seen all of it. */
  #isNews(waiter: Waiter): boolean {
    const recent = this.#recent
    if (!recent?.covers(waiter.epoch, waiter.after) || recent.hasAfter(waiter.after, waiter.fits)) return true
    const hasPassed = waiter.after < recent.last && waiter.mayPass()
    waiter.after = recent.last
    return hasPassed
  }

  /** Reads what is new until nothing is, and wakes those whom it concerns. */
  async #tellNews(): Promise<void> {
    if (this.#isFollowing) return
    this.#isFollowing = true
    try {
      do {
        await this.#read()
        this.#wake((waiter) => this.#isNews(waiter))
      } while (this.#waiters.size > 0 && this.#recent && (this.#known < this.changes || !this.#recent.atEnd))
    } catch {
      // Each of them finds out by its own look.
      this.#wake(() => true)
    } finally {
      this.#isFollowing = false
    }
  }

  #wake(whom: (waiter: Waiter) => boolean): void {
    for (const waiter of this.#waiters) if (whom(waiter)) this.#context.eventChanges.notify(waiter.topic)
  }

  /** Reads what follows the last event, one read at a time: a read that is under way serves all who ask. */
  #read(): Promise<void> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #readOnce(): Promise<void> {
    const { store, clock } = this.#context
    const recent = this.#recent
    if (!recent) return
    const known = this.changes
    const readAt = clock.monotonic()
    const place = {
      ...{ organization: this.#organization, epoch: recent.epoch, after: recent.last, limit: readAtOnce },
      ...{ types: null, instances: null, seen: null },
    }
    const looked = await store.read(lookAtFeed, place, { party: place.organization })
    // Rows that were read before these events were kept say nothing about them: the reader reads once more.
    if (recent !== this.#recent) return
    this.#known = known
    this.#readAt = readAt
    if ('lost' in looked) {
      // Each follower is told by the store what became of its place.
      this.#keep(undefined)
      return
    }
    recent.append(
      looked.rows.map((row) => this.#recentEvent(row, readAt)),
      looked.atEnd,
    )
    recent.shrink(keptForOne, readAt - keptFor)
    this.#held.set(recent.bytes)
  }

  #keep(recent: RecentEvents | undefined): void {
    this.#recent = recent
    this.#held.set(0)
  }

  /** Lets go of all events, also of those that are just being read: only the store knows what they say now. */
  #forget(): void {
    const recent = this.#recent
    if (!recent) return
    const left = new RecentEvents({ epoch: recent.epoch, after: recent.last })
    left.append([], recent.atEnd)
    this.#keep(left)
  }

  /** All of them together hold too much, and this one holds most. */
  #halve(): void {
    this.#recent?.shrink(this.#recent.bytes / 2)
    this.#held.set(this.#recent?.bytes ?? 0)
    this.#account.onExceeded = () => this.#halve()
  }

  #recentEvent(row: EventRow, readAt: number): RecentEvent {
    const event = renderEvent(row, this.#context.renderMessage)
    const bytes = 2 * JSON.stringify(event).length + 500
    return { event, type: row.type, instance_name: row.instance_name, bytes, readAt }
  }
}
