import type { Event } from '../../contract/event.ts'
import { latest, listEvents as operation } from '../../contract/event-operations.ts'
import { type Call, handler, type StreamEvent, type StreamPosition } from '../../contract/handler.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import { waited } from '../../contract/reply.ts'
import { readCursor, writeCursor } from '../../runtime/cursor.ts'
import { SharedReadings } from '../../runtime/shared-readings.ts'
import { renderEvent } from '../event.ts'
import { type FeedPlace, type Looked, type Lost, lookAtFeed } from '../feed.ts'
import type { EventOperationsContext } from './context.ts'

/** What was found in the feed, as callers see it. */
interface Found extends Pick<Looked, 'next' | 'atEnd'> {
  readonly events: readonly Event[]
}

type Look = (place: FeedPlace) => Promise<Found | Lost>

type FeedContext = Pick<EventOperationsContext, 'store' | 'clock' | 'eventChanges'>

export const listEvents = (context: FeedContext) => {
  /** However many follow an organization, its new events are read once. */
  const readings = new SharedReadings<Found | Lost>()
  const look: Look = (place) =>
    readings.read(JSON.stringify(place), async () => {
      const looked = await context.store.read(lookAtFeed, place)
      return 'lost' in looked ? looked : { ...looked, events: looked.rows.map(renderEvent) }
    })
  return handler(operation, async (call) => {
    const place = placeOf(call)
    if (!call.wantsStream) {
      const { events, next } = await nextPage(context, look, place, call)
      const body = { data: [...events], next_cursor: writeCursor(next) }
      return { status: 200, body, headers: waited(call) }
    }
    // Before the stream begins, so that a cursor which leads nowhere can still be refused.
    const first = found(await look(place))
    return { status: 200, stream: follow(context, look, { place, first }, call.signal), paced: true }
  })
}

/** How many events a stream reads at once: few, since they are held for as long as a slow listener takes for them. */
const streamedAtOnce = 25

function placeOf(call: Call<typeof operation>): FeedPlace {
  const { caller, query, wantsStream } = call
  return {
    organization: caller.organizationId,
    types: query.types ?? null,
    instances: query.instances ?? null,
    after: beginning(call),
    limit: wantsStream ? streamedAtOnce : (query.limit ?? 50),
  }
}

/** Behind which number the caller wants to begin. Who follows wants to see what happens; who reads, what is there. */
function beginning({ query, wantsStream, lastEventId }: Call<typeof operation>): FeedPlace['after'] {
  if (wantsStream && lastEventId !== undefined) return numberIn(lastEventId, 'header/Last-Event-ID')
  if (query.after === undefined) return wantsStream ? 'latest' : 'oldest'
  return query.after === latest ? 'latest' : numberIn(query.after, 'query/after')
}

function numberIn(cursor: string, pointer: string): number {
  const number = readCursor(cursor, 'number')
  if (number === undefined || number < 0)
    throw invalid({ pointer, code: 'wrong_form', detail: 'The cursor is not one that the feed gave.' })
  return number
}

const lostDetails = {
  removed:
    'Events behind the cursor were removed since, as their time was over. Begin anew, without `after` or with `after=latest`.',
  ahead:
    'The journal has not come as far as the cursor: it is not one of this organization, or the server went back to a backup. ' +
    'Begin anew, without `after` or with `after=latest`.',
}

function found(looked: Found | Lost): Found {
  if ('lost' in looked) throw new Problem('cursor_expired', { detail: lostDetails[looked.lost] })
  return looked
}

/** The next events, or what there is when the caller's patience ends; a page without events may still lead on. */
function nextPage(
  { eventChanges }: FeedContext,
  look: Look,
  place: FeedPlace,
  { waitMs, signal }: Call<typeof operation>,
): Promise<Found> {
  let { after } = place
  const read = async () => {
    const page = found(await look({ ...place, after }))
    after = page.next
    return page
  }
  const isEnough = ({ events, atEnd }: Found) => events.length > 0 || !atEnd
  return eventChanges.until(place.organization, { ms: waitMs, signal }, read, isEnough)
}

/** How long a stream trusts that nothing happened without being told, in milliseconds. */
const trust = 15_000

/** Every event that fits, as it happens, until nobody listens or what would be next was removed. */
async function* follow(
  { eventChanges, clock }: FeedContext,
  look: Look,
  { place, first }: { readonly place: FeedPlace; readonly first: Found },
  signal: AbortSignal,
): AsyncGenerator<StreamEvent | StreamPosition> {
  let now = first
  let change: Promise<void> | undefined
  let told = -1
  let toldAt = Number.NEGATIVE_INFINITY
  for (;;) {
    for (const event of now.events) {
      yield { id: writeCursor(event.sequence), event: event.type, data: event }
      told = event.sequence
      toldAt = clock.monotonic()
    }
    // Whom nothing concerns gets on all the same, lest events behind which they would begin again be removed one day.
    if (now.next !== told && clock.monotonic() - toldAt >= trust) {
      yield { id: writeCursor(now.next) }
      told = now.next
      toldAt = clock.monotonic()
    }
    if (now.atEnd) await change
    if (signal.aborted) return
    // The wait begins before the look, so that an event in between is not missed.
    change = now.atEnd ? eventChanges.next(place.organization, trust, signal) : undefined
    const looked = await look({ ...place, after: now.next })
    if ('lost' in looked) return
    now = looked
  }
}
