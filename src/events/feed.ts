import type { EventType } from '../contract/resources/event.ts'
import { type Argument, type Sql, statement } from '../store/statement.ts'
import { type Reader, read, type StoreFunctions } from '../store/store.ts'
import { type EventRow, eventColumns, withSubjects } from './event.ts'

/** A place in the feed of an organization, and what is wanted from there on. */
export interface FeedPlace {
  readonly organization: string
  /** Null for all. */
  readonly types: readonly EventType[] | null
  /** The names of instances; null for all. Events that are about none are not left out. */
  readonly instances: readonly string[] | null
  /** The epoch that `after` belongs to, if it is a number. */
  readonly epoch?: string
  /** The names of the only instances that the caller may know of; null for all. Events that are about none are left out. */
  readonly seen: readonly string[] | null
  /** The number behind which to look: `oldest` for all that is kept, `latest` for nothing of it. */
  readonly after: number | 'oldest' | 'latest'
  /** How many events are wanted at most. */
  readonly limit: number
}

/** What a look at the feed found. */
export interface Looked {
  readonly rows: readonly EventRow[]
  /** The number behind which to look next. */
  readonly next: number
  /** The epoch of that number. */
  readonly epoch: string
  /** Whether there is nothing behind it yet. */
  readonly atEnd: boolean
}

/** Why the feed cannot be read on: events behind the number were removed, or it has not come so far. */
export type Lost = { readonly lost: 'removed' | 'ahead' } | Restored

/** The store went back to a backup since. */
export interface Restored {
  readonly lost: 'restored'
  /** The present epoch, and the number in it behind which to go on: what comes after it was not seen. */
  readonly epoch: string
  readonly next: number
  /** When that was; null where the epoch of the cursor is not known at all. */
  readonly at: number | null
}

/** How many events one look goes through, so that nobody waits long for one at what is rare. */
export const lookedThrough = 2_000

/** The number of the last event, and of the oldest one that is kept. */
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

/** The next events that fit. As numbers have no gaps, a stretch of them bounds the work, and what is missing shows. */
export const lookAtFeed = read('events.look', async (reader, place: FeedPlace): Promise<Looked | Lost> => {
  const { organization, limit } = place
  const { last = 0, oldest = null, epoch = '' } = (await reader.first(selectEnds, { organization })) ?? {}
  const beforeOldest = (oldest ?? last + 1) - 1
  const after = numberOf(place.after, { oldest: beforeOldest, latest: last })
  if (typeof place.after === 'number' && place.epoch !== undefined && place.epoch !== epoch)
    return goOnFrom(reader, { organization, from: place.epoch, after, epoch, beforeOldest })
  if (after < beforeOldest) return { lost: 'removed' }
  if (after > last) return { lost: 'ahead' }
  if (after === last) return { rows: [], next: last, epoch, atEnd: true }
  const until = Math.min(after + lookedThrough, last)
  const rows = await rowsOf(reader, place, { organization, after, until, limit })
  const next = rows.length === limit ? (rows.at(-1)?.sequence ?? until) : until
  return { rows, next, epoch, atEnd: next === last }
})

interface OldPlace {
  readonly organization: string
  /** The epoch of the cursor, and its number. */
  readonly from: string
  readonly after: number
  readonly epoch: string
  readonly beforeOldest: number
}

/** Where to go on in the present epoch: behind the last event that both have, if not before. */
async function goOnFrom(reader: Reader, place: OldPlace): Promise<Restored> {
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
  // Nothing is known of that history: only what is kept from the beginning leaves nothing out.
  return { lost: 'restored', epoch, next: beforeOldest, at: null }
}

function numberOf(after: FeedPlace['after'], words: { oldest: number; latest: number }): number {
  return typeof after === 'number' ? after : words[after]
}

async function rowsOf(
  reader: Reader,
  { types, instances, seen }: FeedPlace,
  stretch: Stretch,
): Promise<EventRow[]> {
  if (!types && !instances && !seen) return withSubjects(reader, await reader.all(selectStretch, stretch))
  let query = stretchOf(reader.sql, (name) => stretch[name])
  if (types) query = query.where('type', 'in', types)
  if (instances)
    query = query.where((eb) =>
      eb.or([eb('instance_name', 'in', instances), eb('instance_name', 'is', null)]),
    )
  if (seen) query = query.where('instance_name', 'in', seen)
  return withSubjects(reader, await reader.all(query))
}

export const feedFunctions: StoreFunctions = { reads: [lookAtFeed], transactions: [] }
