import { forEach, statement } from '../../store/statement.ts'
import { read, type StoreFunctions, transaction } from '../../store/store.ts'
import type { Span } from '../../store/tables/statistics.ts'
import { type CountArgs, countEvents } from './count-events.ts'

/** Counts some of the events of an organization; see `countEvents`. */
export const countSomeEvents = transaction('statistics.count', (tx, args: CountArgs) => countEvents(tx, args))

const selectOrganizations = statement<{ after: string; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('organizations')
    .select(['id', 'last_event', 'last_counted'])
    .where('id', '>', argument('after'))
    .orderBy('id')
    .limit(argument('limit')),
)

/** Organizations, in parts, and whether they have events that are not counted. */
export const organizationsToCount = read(
  'statistics.organizations',
  async (reader, args: { after: string; limit: number }) => {
    const rows = await reader.all(selectOrganizations, args)
    return rows.map(({ id, last_event, last_counted }) => ({ id, waits: last_event > last_counted }))
  },
)

const selectUncounted = statement<{ organization: string }>()((sql, argument) =>
  sql
    .selectFrom('events')
    .innerJoin('organizations', 'organizations.id', 'events.organization_id')
    .select('events.created_at')
    .where('organization_id', '=', argument('organization'))
    .whereRef('sequence', '>', 'last_counted')
    .orderBy('sequence')
    .limit(1),
)

/** The time of the oldest event that is not counted; null if all are. */
export const oldestUncounted = read(
  'statistics.oldest-uncounted',
  async (reader, args: { organization: string }): Promise<number | null> =>
    (await reader.first(selectUncounted, args))?.created_at ?? null,
)

interface CountsWanted {
  readonly organization: string
  readonly span: Span
  /** The names of instances; an empty name stands for all together. */
  readonly instances: readonly string[]
  /** The hours or days that begin from this moment on and before the other. */
  readonly from: number
  readonly to: number
}

/** The counts of some instances in some hours or days, in no order; `counts` is JSON text. */
export const readCounts = read('statistics.read', (reader, wanted: CountsWanted) =>
  reader.all(
    reader.sql
      .selectFrom('statistics')
      .select(['starts_at', 'counts'])
      .where('organization_id', '=', wanted.organization)
      .where('span', '=', wanted.span)
      .where('instance_name', 'in', wanted.instances)
      .where('starts_at', '>=', wanted.from)
      .where('starts_at', '<', wanted.to),
  ),
)

const selectOld = statement<{ before: number; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('statistics')
    .select(['organization_id', 'span', 'instance_name', 'starts_at'])
    .where('starts_at', '<', argument('before'))
    .orderBy('starts_at')
    .limit(argument('limit')),
)

interface Old {
  readonly organization_id: string
  readonly span: Span
  readonly instance_name: string
  readonly starts_at: number
}

const removeCounts = forEach<Old>({
  organization_id: 'text',
  span: 'text',
  instance_name: 'text',
  starts_at: 'bigint',
})((sql, given) =>
  sql
    .deleteFrom('statistics')
    .where('organization_id', '=', given('organization_id'))
    .where('span', '=', given('span'))
    .where('instance_name', '=', given('instance_name'))
    .where('starts_at', '=', given('starts_at')),
)

/** Removes the oldest counts of hours and days that began before a moment, at most `limit`; returns how many. */
export const forgetStatistics = transaction(
  'statistics.forget',
  async (tx, args: { before: number; limit: number }): Promise<number> => {
    const old = await tx.all(selectOld, args)
    await tx.runForEach(removeCounts, old)
    return old.length
  },
)

export const statisticsFunctions: StoreFunctions = {
  reads: [organizationsToCount, oldestUncounted, readCounts],
  transactions: [countSomeEvents, forgetStatistics],
}
