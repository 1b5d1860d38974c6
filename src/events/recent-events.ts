import type { Event, EventType } from '../contract/resources/event.ts'
import { type FeedPage, type FeedPlace, lookedThrough } from './feed.ts'
import { fitsFilter } from './feed-filter.ts'

/** A page of the feed as callers see it. */
export interface RenderedPage extends Pick<FeedPage, 'next' | 'epoch' | 'atEnd'> {
  readonly events: readonly Event[]
}

/** An event that is kept, with what filters ask of it. */
export interface RecentEvent {
  readonly event: Event
  readonly type: EventType
  readonly instance_name: string | null
  /** Bytes that the event takes in memory. */
  readonly bytes: number
  /** When it was read, in monotonic milliseconds. */
  readonly readAt: number
}

/** The last events of one organization, without a gap, for everybody who follows it. */
export class RecentEvents {
  readonly epoch: string
  /** The number before the oldest event that is kept. */
  #before: number
  #events: RecentEvent[] = []
  #bytes = 0
  /** True if no event followed the last one when the store was read. */
  #atEnd = true

  /** Begins after an event, with none. */
  constructor({ epoch, after }: { readonly epoch: string; readonly after: number }) {
    this.epoch = epoch
    this.#before = after
  }

  /** The number of the last event. */
  get last(): number {
    return this.#before + this.#events.length
  }

  get atEnd(): boolean {
    return this.#atEnd
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Adds those that follow the last one. */
  append(events: readonly RecentEvent[], atEnd: boolean): void {
    for (const event of events) this.#bytes += event.bytes
    this.#events.push(...events)
    this.#atEnd = atEnd
  }

  /** Lets the oldest go until the rest takes no more than so many bytes, and was read no earlier than at that time. */
  shrink(most: number, readSince = Number.NEGATIVE_INFINITY): void {
    let gone = 0
    for (const { bytes, readAt } of this.#events) {
      if (this.#bytes <= most && readAt >= readSince) break
      this.#bytes -= bytes
      gone++
    }
    if (gone === 0) return
    this.#events = this.#events.slice(gone)
    this.#before += gone
  }

  /** True if all events after this place are kept. */
  covers(epoch: string | undefined, after: number): boolean {
    return epoch === this.epoch && after >= this.#before && after <= this.last
  }

  /** True if one of the events after this number, which are kept, fits. */
  hasAfter(after: number, fits: (event: RecentEvent) => boolean): boolean {
    for (let at = after - this.#before; at < this.#events.length; at++) {
      const event = this.#events[at]
      if (event && fits(event)) return true
    }
    return false
  }

  /** The page that `lookAtFeed` would give from this place; undefined if only the store knows. */
  page(place: FeedPlace): RenderedPage | undefined {
    const after = place.after === 'latest' && this.#atEnd ? this.last : place.after
    if (typeof after !== 'number' || !this.covers(place.epoch ?? this.epoch, after)) return undefined
    const first = after - this.#before
    const until = Math.min(after + lookedThrough, this.last)
    const fits = fitsFilter(place)
    const events: Event[] = []
    for (const recent of this.#events.slice(first, until - this.#before)) {
      if (events.length === place.limit) break
      if (fits(recent)) events.push(recent.event)
    }
    const next = events.length === place.limit ? (events.at(-1)?.sequence ?? until) : until
    return { events, next, epoch: this.epoch, atEnd: this.#atEnd && next === this.last }
  }
}
