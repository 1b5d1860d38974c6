import { firstIdAt } from '../../runtime/ids.ts'
import type { Reader } from '../../store/store.ts'
import { knownToCaller, messagesOf, type Search } from './message-filter.ts'

/*
 * The places of lists among the numbers of all messages, whosever they are. On PostgreSQL a list sees only the messages of its organization, and
 * would go through those of all others to find the nearest of its own; so places are looked up in a view of nothing but
 * numbers and ids (docs/decisions/0084). Only the numbers leave this file.
 */

/** The numbers that are left to look at: below the first, down to the second. */
export interface ListRange {
  readonly below: number
  readonly downTo: number
}

/** The numbers and ids of all messages. */
const places = ({ sql, dialect }: Reader) =>
  sql.selectFrom((dialect.name === 'postgres' ? 'message_places' : 'messages') as 'messages').select('seq')

/**
 * Milliseconds after the time of a message within which its id was made, because a voice note is converted in between. Then
 * the number of messages around a moment that may have been stored in another order than that of their ids.
 */
const idMadeWithin = 60_000
const storedAround = 2_000

/** Returns the beginning and the end of a list: a range of time is found by the ids, which are in its order. */
export async function rangeFor(reader: Reader, filter: Search, before: string | null): Promise<ListRange> {
  const { createdAfter, createdBefore } = filter
  const below = await firstBelow(reader, filter, before)
  const ids = (isBefore: boolean, at: number) =>
    places(reader)
      .where('id', isBefore ? '<' : '>=', firstIdAt('msg', at))
      .orderBy('id', isBefore ? 'desc' : 'asc')
      .limit(storedAround)
  const end =
    createdBefore === null
      ? below
      : 1 + Math.max(-1, ...(await reader.all(ids(true, createdBefore + idMadeWithin))).map(({ seq }) => seq))
  const downTo =
    createdAfter === null
      ? 0
      : Math.min(below, ...(await reader.all(ids(false, createdAfter))).map(({ seq }) => seq))
  return { below: Math.min(below, end), downTo }
}

/**
 * The number of the message that a page ended with, or one that no message has yet. If that message was removed since, the
 * page continues from its place: ids are in the order of time, too.
 */
export async function firstBelow(
  reader: Reader,
  filter: Pick<Search, 'organizationId' | 'seen'>,
  before: string | null,
): Promise<number> {
  if (before === null) return ((await newestSeq(reader)) ?? 0) + 1
  const own = await reader.first(knownToCaller(messagesOf(reader).where('id', '=', before), filter))
  if (own) return own.seq
  // A message that the caller may not know of gives the same result as none, so that no caller learns that it exists.
  const earlier = await reader.first(places(reader).where('id', '<', before).orderBy('id', 'desc').limit(1))
  return (earlier?.seq ?? -1) + 1
}

async function newestSeq(reader: Reader): Promise<number | undefined> {
  return (await reader.first(places(reader).orderBy('seq', 'desc').limit(1)))?.seq
}
