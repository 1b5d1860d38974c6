import { oldestFirst, type Sql, statement } from '../store/statement.ts'
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

const unsettled = (sql: Sql) =>
  sql
    .selectFrom('outbox')
    .select(['seq', 'instance', 'attempts', 'last_attempt_at', 'underway'])
    .where(oldestFirst)
    .orderBy('instance')
    .orderBy('seq')

const selectAfter = statement<UnsettledPlace & { limit: number }>()((sql, argument) =>
  unsettled(sql)
    .where((eb) => eb(eb.refTuple('instance', 'seq'), '>', eb.tuple(argument('instance'), argument('seq'))))
    .limit(argument('limit')),
)

/**
 * The unsettled messages after a place, of all instances or only of those with these numbers, at most `limit`; and the place to continue
 * after, null if those were the last.
 */
export async function unsettledAfter(
  reader: Reader,
  after: UnsettledPlace,
  limit: number,
  instances?: readonly number[],
) {
  const messages = instances
    ? await reader.all(
        unsettled(reader.sql)
          .where('instance', 'in', instances)
          .where((eb) => eb(eb.refTuple('instance', 'seq'), '>', eb.tuple(after.instance, after.seq)))
          .limit(limit),
      )
    : await reader.all(selectAfter, { ...after, limit })
  const last = messages.length === limit ? messages.at(-1) : undefined
  const next: UnsettledPlace | null = last ? { instance: last.instance, seq: last.seq } : null
  return { messages, next }
}
