import type { EventType } from '../contract/resources/event.ts'
import { type Argument, type Sql, statement } from '../store/statement.ts'
import { type Reader, read, type StoreFunctions } from '../store/store.ts'
import { type EventRow, eventColumns, withSubjects } from './event.ts'
import { bytesOfData, countThatFit, type EventLength, fewEvents, fittingEvents } from './feed-bytes.ts'

/** A place in the feed of an organization, and which events are wanted from there on. */
export interface FeedPlace {
  readonly organization: string
  /** Null for all. */
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
    .select(({ selectFrom }) => [
      'last_event as last',
      'epoch',
      selectFrom('events')
        .select(({ fn }) => fn.min('sequence').as('oldest'))
        .where('organization_id', '=', argument('organization'))
        .as('oldest'),
    ])
    .where('id', '=', argument('organization')),
)

interface Stretch {
  readonly organization: string
  readonly after: number
  readonly until: number
  readonly limit: number
}

const stretchOf = (sql: Sql, argument: Argument<Stretch>) =>
  sql
    .selectFrom('events')
    .select(eventColumns)
    .where('organization_id', '=', argument('organization'))
    .where('sequence', '>', argument('after'))
    .where('sequence', '<=', argument('until'))
    .orderBy('sequence')
    .limit(argument('limit'))

const selectStretch = statement<Stretch>()(stretchOf)

type StretchQuery = ReturnType<typeof stretchOf>

const lengthsOf = (query: StretchQuery) =>
  query
    .clearSelect()
    .select((eb) => ['message_seq', 'labels_id', eb.cast<number>(bytesOfData, 'integer').as('bytes')])

const selectLengths = statement<Stretch>()((sql, argument) => lengthsOf(stretchOf(sql, argument)))

/** The next events that fit. Numbers have no gaps, so a range of them bounds the work, and a removed event is noticed. */
export const lookAtFeed = read(
  'events.look',
  async (reader, place: FeedPlace): Promise<FeedPage | LostPlace> => {
    const { organization, limit } = place
    const { last = 0, oldest = null, epoch = '' } = (await reader.first(selectEnds, { organization })) ?? {}
    const beforeOldest = (oldest ?? last + 1) - 1
    const after = numberOf(place.after, { oldest: beforeOldest, latest: last })
    if (typeof place.after === 'number' && place.epoch !== undefined && place.epoch !== epoch)
      return afterRestore(reader, { organization, from: place.epoch, after, epoch, beforeOldest })
    if (after < beforeOldest) return { lost: 'removed' }
    if (after > last) return { lost: 'ahead' }
    if (after === last) return { rows: [], next: last, epoch, atEnd: true }
    const until = Math.min(after + lookedThrough, last)
    const { rows, isFull } = await rowsOf(reader, place, { organization, after, until, limit })
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
  stretch: Stretch,
): Promise<{ rows: EventRow[]; isFull: boolean }> {
  const some = someOf(reader, place, stretch)
  const limit = await maxThatFit(reader, stretch, () =>
    some ? reader.all(lengthsOf(some)) : reader.all(selectLengths, stretch),
  )
  const read = some
    ? await reader.all(some.clearLimit().limit(limit))
    : await reader.all(selectStretch, { ...stretch, limit })
  const rows = fittingEvents(await withSubjects(reader, read))
  return { rows, isFull: rows.length === limit || rows.length < read.length }
}

/** The events that are wanted of a stretch; undefined for all. */
function someOf(
  reader: Reader,
  { types, instances, seen }: FeedPlace,
  stretch: Stretch,
): StretchQuery | undefined {
  if (!types && !instances && !seen) return undefined
  let query = stretchOf(reader.sql, (name) => stretch[name])
  if (types) query = query.where('type', 'in', types)
  if (instances)
    query = query.where((eb) =>
      eb.or([eb('instance_name', 'in', instances), eb('instance_name', 'is', null)]),
    )
  if (seen) query = query.where('instance_name', 'in', seen)
  return query
}

/** Returns the most events that a page may have without becoming too long. */
async function maxThatFit(
  reader: Reader,
  { after, until, limit }: Stretch,
  readLengths: () => Promise<EventLength[]>,
): Promise<number> {
  if (Math.min(until - after, limit) <= fewEvents) return limit
  const lengths = await readLengths()
  const count = await countThatFit(reader, lengths)
  return count < lengths.length ? count : limit
}

export const feedFunctions: StoreFunctions = { reads: [lookAtFeed], transactions: [] }
