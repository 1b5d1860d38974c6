import { type Call, handler, type StreamEvent, type StreamPosition } from '../../contract/handler.ts'
import { latest, listEvents as operation } from '../../contract/operations/event-operations.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import { waited } from '../../contract/reply.ts'
import type { Event } from '../../contract/resources/event.ts'
import { timestamp } from '../../runtime/clock.ts'
import { SharedReadings } from '../../runtime/shared-readings.ts'
import { renderEvent } from '../event.ts'
import { type FeedPlace, type Looked, type Lost, lookAtFeed, type Restored } from '../feed.ts'
import { readFeedCursor, writeFeedCursor } from '../feed-cursor.ts'
import type { EventOperationsContext } from './context.ts'

/** What was found in the feed, as callers see it. */
interface Found extends Pick<Looked, 'next' | 'epoch' | 'atEnd'> {
  readonly events: readonly Event[]
}

type Look = (place: FeedPlace) => Promise<Found | Lost>

type FeedContext = Pick<EventOperationsContext, 'store' | 'clock' | 'eventChanges' | 'renderMessage'>

export const listEvents = (context: FeedContext) => {
  /** However many follow an organization, its new events are read once. */
  const readings = new SharedReadings<Found | Lost>()
  const look: Look = (place) =>
    readings.read(JSON.stringify(place), async () => {
      const looked = await context.store.read(lookAtFeed, place)
      return 'lost' in looked
        ? looked
        : { ...looked, events: looked.rows.map((row) => renderEvent(row, context.renderMessage)) }
    })
  return handler(operation, async (call) => {
    const place = placeOf(call)
    if (!call.wantsStream) {
      const page = await nextPage(context, look, place, call)
      const body = {
        data: [...page.events],
        next_cursor: writeFeedCursor({ epoch: page.epoch, sequence: page.next }),
      }
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
    ...beginning(call),
    seen: caller.instances,
    limit: wantsStream ? streamedAtOnce : (query.limit ?? 50),
  }
}

/** Behind which number the caller wants to begin. Who follows wants to see what happens; who reads, what is there. */
function beginning({
  query,
  wantsStream,
  lastEventId,
}: Call<typeof operation>): Pick<FeedPlace, 'epoch' | 'after'> {
  if (wantsStream && lastEventId !== undefined) return placeIn(lastEventId, 'header/Last-Event-ID')
  if (query.after === undefined) return { after: wantsStream ? 'latest' : 'oldest' }
  return query.after === latest ? { after: 'latest' } : placeIn(query.after, 'query/after')
}

function placeIn(cursor: string, pointer: string): { epoch: string; after: number } {
  const mark = readFeedCursor(cursor)
  if (!mark) throw invalid({ pointer, code: 'wrong_form', detail: 'The cursor does not come from the feed.' })
  return { epoch: mark.epoch, after: mark.sequence }
}

const lostDetails = {
  removed:
    'Events after the cursor were removed because their retention ended. Start again, without `after` or with `after=latest`.',
  ahead:
    'The cursor is ahead of the last event, so it does not belong to this organization. ' +
    'Start again, without `after` or with `after=latest`.',
}

function found(looked: Found | Lost): Found {
  if (!('lost' in looked)) return looked
  if (looked.lost === 'restored') throw restored(looked)
  throw new Problem('cursor_expired', { detail: lostDetails[looked.lost] })
}

function restored({ epoch, next, at }: Restored): Problem {
  const when = at === null ? 'The server' : `At ${timestamp(at)} the server`
  const detail =
    at === null
      ? `${when} was restored from a backup that does not contain the history of the cursor. Continue with \`next_cursor\`, which begins with the oldest event that is kept: you may see events again, with the same id.`
      : `${when} was restored from a backup, and everything after the backup is gone. Continue with \`next_cursor\`, after event ${next}: later events that you have seen are void, and their numbers are used again.`
  return new Problem('restored', { detail, nextCursor: writeFeedCursor({ epoch, sequence: next }) })
}

/** The next events, or what there is when the caller waits no longer; a page without events may still lead on. */
function nextPage(
  { eventChanges }: FeedContext,
  look: Look,
  place: FeedPlace,
  { waitMs, signal }: Call<typeof operation>,
): Promise<Found> {
  let from: Pick<FeedPlace, 'epoch' | 'after'> = place
  const read = async () => {
    const page = found(await look({ ...place, ...from }))
    from = { epoch: page.epoch, after: page.next }
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
      yield { id: writeFeedCursor({ ...event, epoch: now.epoch }), event: event.type, data: event }
      told = event.sequence
      toldAt = clock.monotonic()
    }
    // Whom nothing concerns gets on all the same, lest events behind which they would begin again be removed one day.
    if (now.next !== told && clock.monotonic() - toldAt >= trust) {
      yield { id: writeFeedCursor({ epoch: now.epoch, sequence: now.next }) }
      told = now.next
      toldAt = clock.monotonic()
    }
    if (now.atEnd) await change
    if (signal.aborted) return
    // The wait begins before the look, so that an event in between is not missed.
    change = now.atEnd ? eventChanges.next(place.organization, trust, signal) : undefined
    const looked = await look({ ...place, epoch: now.epoch, after: now.next })
    if ('lost' in looked) return
    now = looked
  }
}
