import type { EventType } from '../contract/resources/event.ts'
import { statement } from '../store/statement.ts'
import { type Reader, read, type StoreFunctions } from '../store/store.ts'
import { type EventRow, withSubjects } from './event.ts'
import { countThatFit, fewEvents, fittingEvents } from './feed-bytes.ts'
import { lengthColumns, lengthsBetween, lengthsIn } from './stretches/event-lengths.ts'
import { type EventRange, eventsBetween, firstNumber, stretchesBetween } from './stretches/read-events.ts'
import { eventsIn, stretchColumns } from './stretches/stretch.ts'

/** A place in the feed of an organization, and which events are wanted from there on. */
export interface FeedPlace {
  readonly organization: string
  /** Null for all; none are wanted by a stream that only waits for those who type. */
  readonly types: readonly EventType[] | null
  /** The names of instances; null for all. Events that are about no instance are included. */
  readonly instances: readonly string[] | null
  /** The epoch that `after` belongs to, if it is a number. */
  readonly epoch?: string
  /** The names of the only instances that the caller may see; null for all. Events that are about no instance are left out. */
  readonly seen: readonly string[] | null
  /** Events after this number are wanted: `oldest` for all that are kept, `latest` for only those to come. */
  readonly after: number | 'oldest' | 'latest'
  /** The most events that are wanted. */
  readonly limit: number
}

/** The result of one look at the feed. */
export interface FeedPage {
  readonly rows: readonly EventRow[]
  /** The number after which to look next. */
  readonly next: number
  /** The epoch of that number. */
  readonly epoch: string
  /** True if no event follows that number yet. */
  readonly atEnd: boolean
}

/** Why the feed cannot be read from a place: events after it were removed, or the feed has not reached it. */
export type LostPlace = { readonly lost: 'removed' | 'ahead' } | RestoredPlace

/** The store was restored from a backup after the place was given out. */
export interface RestoredPlace {
  readonly lost: 'restored'
  /** The present epoch, and the number in it to continue after: the reader has seen no later event of this epoch. */
  readonly epoch: string
  readonly next: number
  /** When the store was restored; null if the epoch of the place is unknown. */
  readonly at: number | null
}

/** The most events that one look goes through, so that a filter which few events fit does not make others wait. */
export const lookedThrough = 2_000

/** The numbers of the last event and of the oldest that is kept. */
const selectEnds = statement<{ organization: string }>()((sql, argument) =>
  sql
    .selectFrom('organizations')
    .select(['last_event as last', 'epoch', firstNumber(sql, argument).as('oldest')])
    .where('id', '=', argument('organization')),
)

/** The next events that fit. Numbers have no gaps, so a range of them bounds the work, and a removed event is noticed. */
export const lookAtFeed = read(
  'events.look',
  async (reader, place: FeedPlace): Promise<FeedPage | LostPlace> => {
    const { organization } = place
    const { last = 0, oldest = null, epoch = '' } = (await reader.first(selectEnds, { organization })) ?? {}
    const beforeOldest = (oldest ?? last + 1) - 1
    const after = numberOf(place.after, { oldest: beforeOldest, latest: last })
    if (typeof place.after === 'number' && place.epoch !== undefined && place.epoch !== epoch)
      return afterRestore(reader, { organization, from: place.epoch, after, epoch, beforeOldest })
    if (after < beforeOldest) return { lost: 'removed' }
    if (after > last) return { lost: 'ahead' }
    if (after === last || place.types?.length === 0) return { rows: [], next: last, epoch, atEnd: true }
    const until = Math.min(after + lookedThrough, last)
    const { rows, isFull } = await rowsOf(reader, place, { organization, after, until })
    const next = isFull ? (rows.at(-1)?.sequence ?? until) : until
    return { rows, next, epoch, atEnd: next === last }
  },
)

interface PlaceBefore {
  readonly organization: string
  /** The epoch of the cursor, and its number. */
  readonly from: string
  readonly after: number
  readonly epoch: string
  readonly beforeOldest: number
}

/**
 * Returns the place to continue from in the present epoch: after the last event that both epochs share, or at the cursor if
 * that is earlier.
 */
async function afterRestore(reader: Reader, place: PlaceBefore): Promise<RestoredPlace> {
  const { organization, from, epoch, beforeOldest } = place
  const rows = await reader.all(
    reader.sql.selectFrom('epoch_starts').selectAll().where('organization_id', '=', organization),
  )
  const starts = new Map(rows.map((row) => [row.epoch, row]))
  let shared = place.after
  let start = starts.get(epoch)
  while (start) {
    shared = Math.min(shared, start.began_after)
    if (start.previous === from)
      return { lost: 'restored', epoch, next: Math.max(shared, beforeOldest), at: start.began_at }
    start = starts.get(start.previous)
  }
  // The epoch of the cursor is unknown, so only a new start at the oldest event leaves nothing out.
  return { lost: 'restored', epoch, next: beforeOldest, at: null }
}

function numberOf(after: FeedPlace['after'], words: { oldest: number; latest: number }): number {
  return typeof after === 'number' ? after : words[after]
}

async function rowsOf(
  reader: Reader,
  place: FeedPlace,
  range: EventRange,
): Promise<{ rows: EventRow[]; isFull: boolean }> {
  const fitting = await whatFits(reader, place, range)
  const { limit } = fitting
  const some = someOf(reader, place, fitting)
  const stretches = some && (await reader.all(some.select(stretchColumns).limit(limit)))
  const events = stretches ? eventsIn(stretches, fitting, limit) : await eventsBetween(reader, fitting)
  const rows = fittingEvents(await withSubjects(reader, events))
  return { rows, isFull: rows.length === limit || rows.length < events.length }
}

/**
 * Returns a range whose first events that are wanted fit on a page, and the most of them. If all events are wanted, it has no
 * others.
 */
async function whatFits(
  reader: Reader,
  place: FeedPlace,
  range: EventRange,
): Promise<EventRange & { readonly limit: number }> {
  const { limit } = place
  const isAll = someOf(reader, place, range) === undefined
  const wanted = isAll ? { ...range, until: Math.min(range.until, range.after + limit) } : range
  if (Math.min(wanted.until - wanted.after, limit) <= fewEvents) return { ...wanted, limit }
  const some = someOf(reader, place, wanted)
  const stretches = some && (await reader.all(some.select(lengthColumns).limit(limit)))
  const found = stretches ? lengthsIn(stretches, wanted, limit) : await lengthsBetween(reader, wanted)
  const count = await countThatFit(reader, found)
  const until = found[count - 1]?.sequence ?? range.after
  return { ...range, until, limit: count < found.length ? count : limit }
}

/** Selects the stretches of a range with events that are wanted; undefined if all are. */
function someOf(reader: Reader, { types, instances, seen }: FeedPlace, range: EventRange) {
  if (!types && !instances && !seen) return undefined
  let query = stretchesBetween(reader.sql, (name) => range[name])
  if (types) query = query.where('type', 'in', types)
  if (instances)
    query = query.where((eb) =>
      eb.or([eb('instance_name', 'in', instances), eb('instance_name', 'is', null)]),
    )
  if (seen) query = query.where('instance_name', 'in', seen)
  return query
}

export const feedFunctions: StoreFunctions = { reads: [lookAtFeed], transactions: [] }
