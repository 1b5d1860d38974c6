import { type Argument, batchStatement, type Sql, statement } from '../../store/statement.ts'
import type { Reader } from '../../store/store.ts'
import {
  type Between,
  eventsIn,
  eventsWith,
  type NamedEvent,
  nameColumns,
  namesIn,
  type StoredEvent,
  stretchColumns,
} from './stretch.ts'

/*
 * All that reads the journal finds the stretches here that hold the events which it wants. The number of a stretch is that of its last
 * event, so the first stretch with a number that is not below that of an event holds it, unless it was removed.
 */

/** The events between two numbers. */
export interface EventRange extends Between {
  readonly organization: string
}

/** Selects the stretches that hold the events of a range, in order. The first and the last may hold others, too. */
export const stretchesBetween = (sql: Sql, argument: Argument<EventRange>) =>
  sql
    .selectFrom('events')
    .where('events.organization_id', '=', argument('organization'))
    .where('events.sequence', '>', argument('after'))
    .where((eb) => {
      const last = eb
        .selectFrom('events as last')
        .select('last.sequence')
        .where('last.organization_id', '=', argument('organization'))
        .where('last.sequence', '>=', argument('until'))
        .orderBy('last.sequence')
        .limit(1)
      const end = eb.fn.coalesce(last, eb.lit(Number.MAX_SAFE_INTEGER)).as('end')
      // As a query of its own: behind a wall, PostgreSQL looks in an index for no expression that it does not know to be silent.
      return eb('events.sequence', '<=', sql.selectNoFrom(end))
    })
    .orderBy('events.sequence')

const selectNames = statement<EventRange>()((sql, argument) =>
  stretchesBetween(sql, argument).select(nameColumns),
)

const selectStretches = statement<EventRange>()((sql, argument) =>
  stretchesBetween(sql, argument).select(stretchColumns),
)

/** The events of a range, by their names. */
export async function namesBetween(reader: Reader, range: EventRange): Promise<NamedEvent[]> {
  return namesIn(await reader.all(selectNames, range), range)
}

/** The events of a range. */
export async function eventsBetween(reader: Reader, range: EventRange): Promise<StoredEvent[]> {
  return eventsIn(await reader.all(selectStretches, range), range)
}

/** The event with this number, by its name; undefined if it was removed. */
export async function nameNumbered(
  reader: Reader,
  organization: string,
  sequence: number,
): Promise<NamedEvent | undefined> {
  return (await namesBetween(reader, { organization, after: sequence - 1, until: sequence }))[0]
}

/** The next events of a range. */
export interface NextOfRange extends EventRange {
  /** The most that are wanted. */
  readonly limit: number
}

/** The next events of a range that are kept, by their names: others before them may have been removed. */
export function nextNames(reader: Reader, next: NextOfRange): Promise<NamedEvent[]> {
  return nextKept(reader, next, namesBetween)
}

/** The next events of a range that are kept. */
export function nextEvents(reader: Reader, next: NextOfRange): Promise<StoredEvent[]> {
  return nextKept(reader, next, eventsBetween)
}

const selectFirst = statement<Omit<EventRange, 'until'>>()((sql, argument) =>
  firstNumber(sql, argument).where('sequence', '>', argument('after')),
)

/** Selects the number of the oldest event that is kept. */
export const firstNumber = (sql: Sql, argument: Argument<{ organization: string }>) =>
  sql
    .selectFrom('events')
    .select((eb) => eb(eb('sequence', '-', eb.ref('count')), '+', 1).as('first'))
    .where('organization_id', '=', argument('organization'))
    .orderBy('sequence')
    .limit(1)

const selectOldest = statement<{ organization: string }>()(firstNumber)

/** The number of the oldest event of an organization that is kept; null if there is none. */
export async function oldestKept(reader: Reader, organization: string): Promise<number | null> {
  return (await reader.first(selectOldest, { organization }))?.first ?? null
}

async function nextKept<E extends NamedEvent>(
  reader: Reader,
  { organization, after, until, limit }: NextOfRange,
  read: (reader: Reader, range: EventRange) => Promise<E[]>,
): Promise<E[]> {
  const range = (from: number) => ({ organization, after: from, until: Math.min(until, from + limit) })
  // Events have no gaps, so where the range begins says where so many of them end.
  const found = after < until ? await read(reader, range(after)) : []
  if (after >= until || found[0]?.sequence === after + 1) return found
  const kept = await reader.first(selectFirst, { organization, after })
  const before = kept ? kept.first - 1 : until
  return before < until ? read(reader, range(before)) : []
}

const selectRanges = batchStatement({ organization: 'text', after: 'bigint', until: 'bigint' })(
  (sql, given) => stretchesBetween(sql, given).select(stretchColumns),
)

/** The events of an organization with these numbers, in no order; those that were removed are left out. */
export async function eventsNumbered(
  reader: Reader,
  organization: string,
  numbers: readonly number[],
): Promise<StoredEvent[]> {
  const stretches = await reader.allForEach(selectRanges, rangesOf(organization, numbers))
  return eventsWith(numbers, stretches)
}

/** Returns the ranges that these numbers make. */
export function rangesOf(organization: string, numbers: readonly number[]): EventRange[] {
  const ranges: { organization: string; after: number; until: number }[] = []
  for (const number of [...new Set(numbers)].toSorted((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last?.until === number - 1) last.until = number
    else ranges.push({ organization, after: number - 1, until: number })
  }
  return ranges
}
