import type { EventType } from '../contract/event.ts'
import { type Argument, type Sql, statement } from '../store/statement.ts'
import { type Reader, read, type StoreFunctions } from '../store/store.ts'
import type { EventRow } from './event.ts'

/** A place in the feed of an organization, and what is wanted from there on. */
export interface FeedPlace {
  readonly organization: string
  /** Null for all. */
  readonly types: readonly EventType[] | null
  /** The names of instances; null for all. Events that are about none are not left out. */
  readonly instances: readonly string[] | null
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
  /** Whether there is nothing behind it yet. */
  readonly atEnd: boolean
}

/** Why the feed cannot be read on: events behind the number were removed, or it has not come so far. */
export interface Lost {
  readonly lost: 'removed' | 'ahead'
}

/** How many events one look goes through, so that nobody waits long for one at what is rare. */
export const lookedThrough = 2_000

/** The number of the last event, and of the oldest one that is kept. */
const selectEnds = statement<{ organization: string }>()((sql, argument) =>
  sql
    .selectFrom('organizations')
    .select(({ selectFrom }) => [
      'last_event as last',
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
    .select(['id', 'type', 'sequence', 'created_at', 'data'])
    .where('organization_id', '=', argument('organization'))
    .where('sequence', '>', argument('after'))
    .where('sequence', '<=', argument('until'))
    .orderBy('sequence')
    .limit(argument('limit'))

const selectStretch = statement<Stretch>()(stretchOf)

/** The next events that fit. As numbers have no gaps, a stretch of them bounds the work, and what is missing shows. */
export const lookAtFeed = read('events.look', async (reader, place: FeedPlace): Promise<Looked | Lost> => {
  const { organization, limit } = place
  const { last = 0, oldest = null } = (await reader.first(selectEnds, { organization })) ?? {}
  const beforeOldest = (oldest ?? last + 1) - 1
  const after = numberOf(place.after, { oldest: beforeOldest, latest: last })
  if (after < beforeOldest) return { lost: 'removed' }
  if (after > last) return { lost: 'ahead' }
  if (after === last) return { rows: [], next: last, atEnd: true }
  const until = Math.min(after + lookedThrough, last)
  const rows = await rowsOf(reader, place, { organization, after, until, limit })
  const next = rows.length === limit ? (rows.at(-1)?.sequence ?? until) : until
  return { rows, next, atEnd: next === last }
})

function numberOf(after: FeedPlace['after'], words: { oldest: number; latest: number }): number {
  return typeof after === 'number' ? after : words[after]
}

function rowsOf(reader: Reader, { types, instances }: FeedPlace, stretch: Stretch): Promise<EventRow[]> {
  if (!types && !instances) return reader.all(selectStretch, stretch)
  let query = stretchOf(reader.sql, (name) => stretch[name])
  if (types) query = query.where('type', 'in', types)
  if (instances)
    query = query.where((eb) =>
      eb.or([eb('instance_name', 'in', instances), eb('instance_name', 'is', null)]),
    )
  return reader.all(query)
}

export const feedFunctions: StoreFunctions = { reads: [lookAtFeed], transactions: [] }
