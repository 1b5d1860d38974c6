import { type Call, handler, type StreamEvent, type StreamPosition } from '../../contract/handler.ts'
import { latest, listEvents as operation } from '../../contract/operations/event-operations.ts'
import { elsewhere } from '../../contract/other-names.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import { type EventType, typingEvent } from '../../contract/resources/event.ts'
import { timestamp } from '../../runtime/clock.ts'
import type { EventContext } from '../context.ts'
import { EventTails, type Follower } from '../event-tails.ts'
import type { FeedPlace, LostPlace, RestoredPlace } from '../feed.ts'
import { readFeedCursor, writeFeedCursor } from '../feed-cursor.ts'
import { placeOfNewest } from '../find-event.ts'
import type { TypingListener } from '../live/typing-notices.ts'
import type { RenderedPage } from '../recent-events.ts'

type FeedContext = Pick<EventContext, 'store' | 'clock' | 'eventChanges' | 'renderMessage' | 'typingNotices'>

export const listEvents = (context: FeedContext) => {
  const { clock, typingNotices } = context
  /** New events are read once, however many callers follow the organization. */
  const tails = new EventTails(context)
  return handler(operation, async (call) => {
    const place = await withNewest(context.store, call, placeOf(call))
    if (!call.wantsStream) {
      const page =
        call.waitMs > 0
          ? await nextPage(tails.follow(place.organization), place, call)
          : pageOrThrow(await tails.look(place))
      const body = {
        data: [...page.events],
        next_cursor: writeFeedCursor({ epoch: page.epoch, sequence: page.next }),
      }
      return { status: 200, body }
    }
    // Read before the stream begins, so that a lost cursor can still be refused.
    const first = pageOrThrow(await tails.look(place))
    const begin = () => ({
      follower: tails.follow(place.organization, first),
      typing: call.query.types?.includes(typingEvent) ? typingNotices.listen(place) : undefined,
    })
    return { status: 200, stream: follow(clock, begin, { place, first }, call.signal), paced: true }
  })
}

/** Number of events that a stream reads at once. Few, because they stay in memory until a slow listener has taken them. */
const streamedAtOnce = 25
/** Number that it reads if it is behind, and its listener takes events in faster than they can be read. */
const maxStreamedAtOnce = 200
/** Of more events than those few, only so many characters are kept. */
const maxCharacters = 256 * 1024

function placeOf(call: Call<typeof operation>): FeedPlace {
  const { caller, query, wantsStream } = call
  return {
    organization: caller.organizationId,
    types: storedTypes(call),
    instances: query.instances ?? null,
    ...beginning(call),
    seen: caller.instances,
    limit: wantsStream ? streamedAtOnce : (query.limit ?? 50),
  }
}

/** Begins so that as many of the newest events follow as the caller asks for, if it does; a stream that is resumed goes on instead. */
async function withNewest(
  store: FeedContext['store'],
  { query, wantsStream, lastEventId, turn }: Call<typeof operation>,
  place: FeedPlace,
): Promise<FeedPlace> {
  if (query.last === undefined || (wantsStream && lastEventId !== undefined)) return place
  if (query.after !== undefined)
    throw invalid({
      pointer: 'query/last',
      code: 'not_allowed',
      detail: 'The events begin either at `after` or with the newest: leave out one of both.',
    })
  const { organization, types, instances, seen } = place
  const wanted = { organization, types, instances, seen, count: query.last }
  return { ...place, after: await store.read(placeOfNewest, wanted, turn) }
}

/** The types of stored events that the caller wants; null for all. */
function storedTypes({ query, wantsStream }: Call<typeof operation>): EventType[] | null {
  if (!query.types) return null
  const stored = query.types.filter((type) => type !== typingEvent)
  if (wantsStream || stored.length === query.types.length) return stored
  throw invalid({ pointer: 'query/types', code: 'not_allowed', detail: elsewhere[typingEvent] })
}

/** The place at which the caller begins. By default a stream begins at the end of the feed, a page at its beginning. */
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

function pageOrThrow(page: RenderedPage | LostPlace): RenderedPage {
  if (!('lost' in page)) return page
  if (page.lost === 'restored') throw restored(page)
  throw new Problem('cursor_expired', { detail: lostDetails[page.lost] })
}

function restored({ epoch, next, at }: RestoredPlace): Problem {
  const when = at === null ? 'The server' : `At ${timestamp(at)} the server`
  const detail =
    at === null
      ? `${when} was restored from a backup that does not contain the history of the cursor. Continue with \`next_cursor\`, which begins with the oldest event that is kept: you may see events again, with the same id.`
      : `${when} was restored from a backup, and everything after the backup is gone. Continue with \`next_cursor\`, after event ${next}: later events that you have seen are void, and their numbers are used again.`
  return new Problem('restored', { detail, nextCursor: writeFeedCursor({ epoch, sequence: next }) })
}

/** The next page. It waits only at the end of the feed, so a page may have no events and still move the cursor on. */
async function nextPage(
  follower: Follower,
  place: FeedPlace,
  { waitMs, signal, room }: Call<typeof operation>,
): Promise<RenderedPage> {
  const deadline = performance.now() + waitMs
  let from: Pick<FeedPlace, 'epoch' | 'after'> = place
  try {
    for (;;) {
      const left = deadline - performance.now()
      await room.enter()
      const page = pageOrThrow(await follower.look({ ...place, ...from }))
      if (page.events.length > 0 || !page.atEnd || left <= 0 || signal.aborted) return page
      room.leave()
      from = await follower.next({ ...place, epoch: page.epoch, after: page.next }, left, signal)
    }
  } finally {
    follower.end()
  }
}

/** Milliseconds that a stream waits for a change before it looks by itself. */
const lookEvery = 15_000

/** Every event that fits, as it happens, until the listener leaves or the next event was removed. */
async function* follow(
  clock: FeedContext['clock'],
  begin: () => { readonly follower: Follower; readonly typing: TypingListener | undefined },
  { place, first }: { readonly place: FeedPlace; readonly first: RenderedPage },
  signal: AbortSignal,
): AsyncGenerator<StreamEvent | StreamPosition> {
  const { follower, typing } = begin()
  let now = first
  let atOnce = streamedAtOnce
  let readFor = 0
  let lastSent = -1
  let lastSentAt = Number.NEGATIVE_INFINITY
  // A stream moves on even if no event fits it. Otherwise its position could fall behind the events that are kept.
  const isSilent = () => clock.monotonic() - lastSentAt >= lookEvery
  try {
    for (;;) {
      const begun = clock.monotonic()
      for (const event of now.events) {
        yield { id: writeFeedCursor({ ...event, epoch: now.epoch }), event: event.type, data: event }
        lastSent = event.sequence
        lastSentAt = clock.monotonic()
      }
      if (now.next !== lastSent && isSilent()) {
        yield { id: writeFeedCursor({ epoch: now.epoch, sequence: now.next }) }
        lastSent = now.next
        lastSentAt = clock.monotonic()
      }
      for (const event of typing?.take() ?? []) yield { event: event.type, data: event }
      // Each look waits for its turn at the store. On a busy server, a few events at a time would never catch up.
      const isBehind = !now.atEnd && clock.monotonic() - begun < readFor
      atOnce = isBehind ? Math.min(2 * atOnce, maxStreamedAtOnce) : streamedAtOnce
      const at = { ...place, epoch: now.epoch, after: now.next, limit: atOnce }
      const wake = typing?.wakesBefore(signal) ?? signal
      const from = now.atEnd ? await follower.next(at, lookEvery, wake, isSilent) : at
      if (signal.aborted) return
      const asked = clock.monotonic()
      const looked = await follower.look({ ...at, ...from })
      if ('lost' in looked) return
      readFor = clock.monotonic() - asked
      now = bounded(looked)
    }
  } finally {
    follower.end()
    typing?.end()
  }
}

/** The beginning of a page that would be too large to wait for a listener who stops reading; the rest is read again. */
function bounded(page: RenderedPage): RenderedPage {
  let characters = 0
  const end = page.events.findIndex((event, at) => {
    characters += at < streamedAtOnce ? 0 : JSON.stringify(event).length
    return characters > maxCharacters
  })
  const events = page.events.slice(0, end)
  const last = events.at(-1)
  return end < 0 || last === undefined ? page : { ...page, events, next: last.sequence, atEnd: false }
}
