import { batchStatement, statement } from '../../store/statement.ts'
import { briefRead, read, type StoreFunctions, type Transaction, transaction } from '../../store/store.ts'
import type { Span } from '../../store/tables/statistics.ts'
import { type CountArgs, countEvents } from './count-events.ts'
import { startOfStored, storedStart } from './interval.ts'
import { depthsOf } from './queue-depths.ts'

/** Counts some of the events of an organization; see `countEvents`. */
export const countSomeEvents = transaction(
  'statistics.count',
  (tx, args: CountArgs) => countEvents(tx, args),
  {
    touches: ({ organization }) => [organization],
  },
)

const selectOrganizations = statement<{ after: string; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('organizations')
    .select(['id', 'last_event', 'last_counted'])
    .where('id', '>', argument('after'))
    .orderBy('id')
    .limit(argument('limit')),
)

/** Organizations, in parts, and whether they have events that are not counted. */
export const organizationsToCount = briefRead(
  'statistics.organizations',
  async (reader, args: { after: string; limit: number }) => {
    const rows = await reader.all(selectOrganizations, args)
    return rows.map(({ id, last_event, last_counted }) => ({ id, waits: last_event > last_counted }))
  },
)

const selectUncounted = statement<{ organization: string }>()((sql, argument) =>
  sql
    .selectFrom('events')
    .select('created_at')
    .where('organization_id', '=', argument('organization'))
    // Joined with its organization, PostgreSQL would go through all events that are counted.
    .where('sequence', '>', ({ selectFrom }) =>
      selectFrom('organizations').select('last_counted').where('id', '=', argument('organization')),
    )
    .orderBy('sequence')
    .limit(1),
)

const selectBeginning = statement<{ organization: string }>()((sql, argument) =>
  sql.selectFrom('organizations').select('created_at').where('id', '=', argument('organization')),
)

/** The time in which the events of an organization are counted. */
interface CountedTime {
  /** When the organization was made. */
  readonly from: number
  /** The time of the oldest event that is not counted; null if all are. */
  readonly uncounted: number | null
}

export const countedTime = read(
  'statistics.counted-time',
  async (reader, args: { organization: string }): Promise<CountedTime> => {
    const uncounted = (await reader.first(selectUncounted, args))?.created_at ?? null
    return { from: (await reader.first(selectBeginning, args))?.created_at ?? 0, uncounted }
  },
)

interface CountsWanted {
  readonly organization: string
  readonly span: Span
  /** The names of instances; an empty name stands for all together. */
  readonly instances: readonly string[]
  /** The intervals that begin from this moment on and before the other. */
  readonly from: number
  readonly to: number
}

interface Later {
  readonly organization: string
  readonly span: Span
  readonly instance: string
  readonly from: number
}

const selectNext = batchStatement<Later>({
  organization: 'text',
  span: 'text',
  instance: 'text',
  from: 'bigint',
})((sql, given) =>
  sql
    .selectFrom('statistics')
    .select(['instance_name', 'queue_before'])
    .where('organization_id', '=', given('organization'))
    .where('span', '=', given('span'))
    .where('instance_name', '=', given('instance'))
    .where('starts_at', '>=', given('from'))
    .orderBy('starts_at')
    .limit(1),
)

/**
 * The counts of some instances in some intervals, in no order; `counts` is JSON text. `depths` has how many messages each
 * instance had in its queue after them, by name; those without any are left out.
 */
export const readCounts = read('statistics.read', async (reader, wanted: CountsWanted) => {
  const { organization, span } = wanted
  const from = storedStart(span, wanted.to)
  const queues = wanted.instances.map((instance) => ({ organization, span, instance, from }))
  const depths = new Map(await depthsOf(reader, organization, wanted.instances))
  for (const next of await reader.allForEach(selectNext, queues))
    depths.set(next.instance_name, next.queue_before)
  const rows = await reader.all(
    reader.sql
      .selectFrom('statistics')
      .select(['instance_name', 'starts_at', 'queue_before', 'queue_after', 'counts'])
      .where('organization_id', '=', wanted.organization)
      .where('span', '=', wanted.span)
      .where('instance_name', 'in', wanted.instances)
      .where('starts_at', '>=', storedStart(span, wanted.from))
      .where('starts_at', '<', from),
  )
  return { rows: rows.map((row) => ({ ...row, starts_at: startOfStored(span, row.starts_at) })), depths }
})

const selectOld = statement<{ after: number; before: number; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('statistics')
    .select(['organization_id', 'span', 'instance_name', 'starts_at'])
    .where('starts_at', '>=', argument('after'))
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

const removeCounts = batchStatement<Old>({
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

interface ForgetArgs {
  readonly before: number
  readonly limit: number
}

/** Removes the oldest counts of hours and days that began before a moment, at most `limit`; returns how many. */
export const forgetStatistics = transaction('statistics.forget', (tx, { before, limit }: ForgetArgs) =>
  remove(tx, { after: 0, before, limit }),
)

/** Does the same with the counts of minutes. */
export const forgetMinutes = transaction('statistics.forget-minutes', (tx, { before, limit }: ForgetArgs) =>
  remove(tx, { after: storedStart('minute', 0), before: storedStart('minute', before), limit }),
)

async function remove(tx: Transaction, args: ForgetArgs & { readonly after: number }): Promise<number> {
  const old = await tx.all(selectOld, args)
  await tx.runForEach(removeCounts, old)
  return old.length
}

export const statisticsFunctions: StoreFunctions = {
  reads: [organizationsToCount, countedTime, readCounts],
  transactions: [countSomeEvents, forgetStatistics, forgetMinutes],
}
