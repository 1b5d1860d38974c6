import { bytesOfBase32 } from '../runtime/ids.ts'
import { statement } from '../store/statement.ts'
import { type Reader, read, type StoreFunctions } from '../store/store.ts'
import { type EventRow, eventId, withSubjects } from './event.ts'
import type { FeedPlace } from './feed.ts'
import { fitsFilter } from './feed-filter.ts'
import { eventsNumbered, namesBetween, oldestKept } from './stretches/read-events.ts'
import type { NamedEvent } from './stretches/stretch.ts'

const selectLast = statement<{ organization: string }>()((sql, argument) =>
  sql.selectFrom('organizations').select('last_event').where('id', '=', argument('organization')),
)

/** The names of events of which an id holds the last 32 bits of the number: the newest such number is nearly always the only one. */
const numbersApart = 2 ** 32

/** Returns the number of the event that has this id, if any has; an id holds its last 32 bits (`derivedId`). */
async function numberIn(reader: Reader, organization: string, id: string): Promise<number> {
  const bytes = Buffer.from(bytesOfBase32(id.slice(id.indexOf('_') + 1)))
  const low = bytes.length < 10 ? 0 : bytes.readUInt32BE(6)
  const last = (await reader.first(selectLast, { organization }))?.last_event ?? 0
  const high = Math.floor((last - low) / numbersApart)
  return low + Math.max(0, high) * numbersApart
}

/** The event with this id, by its name; undefined if there is none, or it is no longer kept. */
export async function nameOfEvent(
  reader: Reader,
  organization: string,
  id: string,
): Promise<NamedEvent | undefined> {
  const number = await numberIn(reader, organization, id)
  const names = await namesBetween(reader, { organization, after: number - 1, until: number })
  return names.find((name) => eventId(name) === id)
}

/** The event with this id; null if there is none, it is no longer kept, or it is about no instance that the caller may see. */
export const findEvent = read(
  'events.find',
  async (
    reader,
    { organization, id, seen }: Pick<FeedPlace, 'organization' | 'seen'> & { readonly id: string },
  ): Promise<EventRow | null> => {
    const number = await numberIn(reader, organization, id)
    const found = await eventsNumbered(reader, organization, [number])
    const isSeen = fitsFilter({ types: null, instances: null, seen })
    const [row] = await withSubjects(
      reader,
      found.filter((event) => eventId(event) === id && isSeen(event)),
    )
    return row ?? null
  },
)

/** The most events that are examined for a place, and how many of them at once. */
const maxExamined = 10_000
const examinedAtOnce = 2_000

/** The number after which the newest `count` events that are wanted follow, or the fewer of them that were found. */
export const placeOfNewest = read(
  'events.place-of-newest',
  async (
    reader,
    wanted: Pick<FeedPlace, 'organization' | 'types' | 'instances' | 'seen'> & { readonly count: number },
  ): Promise<number> => {
    const { organization, count } = wanted
    const last = (await reader.first(selectLast, { organization }))?.last_event ?? 0
    const begin = Math.max((await oldestKept(reader, organization)) ?? last + 1, last - maxExamined + 1)
    const isWanted = fitsFilter(wanted)
    let left = count
    for (let until = last; until >= begin; until -= examinedAtOnce) {
      const after = Math.max(begin - 1, until - examinedAtOnce)
      const found = (await namesBetween(reader, { organization, after, until })).filter(isWanted)
      const first = found.at(-left)
      if (first) return first.sequence - 1
      left -= found.length
    }
    return begin - 1
  },
)

export const findEventFunctions: StoreFunctions = { reads: [findEvent, placeOfNewest], transactions: [] }
