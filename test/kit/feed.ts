import type { Event } from '../../src/contract/event.ts'
import { listEvents } from '../../src/contract/event-operations.ts'
import type { QueryOf } from '../../src/contract/operation.ts'
import type { CheckedClient } from './checked-client.ts'

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
