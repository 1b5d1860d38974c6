import assert from 'node:assert/strict'
import type { ClientEvent } from '../../../src/contract/client/client.ts'
import type { QueryOf } from '../../../src/contract/operation.ts'
import { listEvents } from '../../../src/contract/operations/event-operations.ts'
import type { Event } from '../../../src/contract/resources/event.ts'
import { readFeedCursor, writeFeedCursor } from '../../../src/events/feed-cursor.ts'
import type { CheckedClient } from './checked-client.ts'
import { Listener } from './listener.ts'

type Query = QueryOf<typeof listEvents>
type Page = { readonly data: readonly Event[]; readonly next_cursor: string }

/** The pages of the feed, one after the other, until there is nothing more. */
export async function* pagesOf(client: CheckedClient, query: Query = {}): AsyncGenerator<Page> {
  for (let after = query.after; ; ) {
    const { body } = await client.call(listEvents, { query: { ...query, ...(after ? { after } : {}) } })
    if (body.next_cursor === after) return
    yield body
    after = body.next_cursor
  }
}

/** Everything in the feed now. */
export async function allEvents(client: CheckedClient, query: Query = {}): Promise<Event[]> {
  return (await Array.fromAsync(pagesOf(client, query))).flatMap(({ data }) => data)
}

/** Returns the cursor of the feed's end. */
export async function endOf(client: CheckedClient): Promise<string> {
  return (await client.call(listEvents, { query: { after: 'latest' } })).body.next_cursor
}

/** The number of the event after which a cursor points. */
export function numberIn(cursor: string): number {
  return readFeedCursor(cursor)?.sequence ?? assert.fail(`${cursor} is no cursor of the feed`)
}

/** The cursor behind this number, of the same epoch as another one. */
export function cursorAt(sequence: number, like: string): string {
  return writeFeedCursor({ epoch: readFeedCursor(like)?.epoch ?? assert.fail(like), sequence })
}

/** Follows the events of an organization, from now on or from a cursor. */
export class EventListener extends Listener<Event> {
  /** Behind which event to take the stream up again. */
  lastEventId: string | undefined

  constructor(client: CheckedClient, options: { query?: Query; lastEventId?: string | undefined } = {}) {
    const { query = {}, lastEventId } = options
    super((signal) =>
      client.stream(listEvents, { query, signal, ...(lastEventId === undefined ? {} : { lastEventId }) }),
    )
  }

  protected take({ data, id }: ClientEvent): void {
    this.seen.push(data as Event)
    this.lastEventId = id
  }
}

/** The numbers of events. */
export function sequences(events: readonly Event[]): number[] {
  return events.map(({ sequence }) => sequence)
}

/** All numbers from the first to the last, both included. */
export function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
