import { oldestFirst, statement } from '../store/statement.ts'
import type { Reader } from '../store/store.ts'

/*
 * A walk through everything that is unsettled, in the order of its index, so that code that has to look at all of it does so
 * in parts. A part's effect on messages changes nothing about their places.
 */

/** The place of an unsettled message. */
export interface UnsettledPlace {
  readonly instance: number
  readonly seq: number
}

/** Before every message. */
export const firstPlace: UnsettledPlace = { instance: 0, seq: -1 }

const selectAfter = statement<UnsettledPlace & { limit: number }>()((sql, argument) =>
  sql
    .selectFrom('outbox')
    .select(['seq', 'instance', 'attempts', 'last_attempt_at', 'underway'])
    .where(oldestFirst)
    .where((eb) => eb(eb.refTuple('instance', 'seq'), '>', eb.tuple(argument('instance'), argument('seq'))))
    .orderBy('instance')
    .orderBy('seq')
    .limit(argument('limit')),
)

/** The unsettled messages after a place, at most `limit`, and the place to continue after; null if those were the last. */
export async function unsettledAfter(reader: Reader, after: UnsettledPlace, limit: number) {
  const messages = await reader.all(selectAfter, { ...after, limit })
  const last = messages.length === limit ? messages.at(-1) : undefined
  const next: UnsettledPlace | null = last ? { instance: last.instance, seq: last.seq } : null
  return { messages, next }
}
