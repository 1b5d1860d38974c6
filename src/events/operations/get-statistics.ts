import { setImmediate } from 'node:timers/promises'
import { type Call, handler } from '../../contract/handler.ts'
import type { QueryOf } from '../../contract/operation.ts'
import {
  countsAtMost,
  type FailureCount,
  type InstanceSeries,
  type IntervalStatistics,
  intervalsAtMost,
  maxFailures,
  getStatistics as operation,
  type StatisticsTotals,
} from '../../contract/operations/statistics-operations.ts'
import { type InvalidValue, invalid } from '../../contract/problem.ts'
import { type CountName, countNames } from '../../contract/statuses.ts'
import { momentOf, timestamp } from '../../runtime/clock.ts'
import { bounds } from '../../runtime/config/bounds.ts'
import { FairSemaphore } from '../../runtime/limits/fair-semaphore.ts'
import type { StoreForAll } from '../../store/store.ts'
import type { Span } from '../../store/tables/statistics.ts'
import type { EventContext } from '../context.ts'
import { countedError, type EventCounts, sumOf } from '../statistics/counts.ts'
import { type AskedRange, countOf, type Grid, gridOf, isTimeZone } from '../statistics/grid.ts'
import { lengthOf } from '../statistics/interval.ts'
import { latencyOf } from '../statistics/latency.ts'
import { depthsAtEnds } from '../statistics/queue-depths.ts'
import { countedTime, readCounts } from '../statistics/statistics-store.ts'

/** The most milliseconds between the time of an event and the moment when the store shows that it is not counted yet. */
const appendedWithin = 60_000
/** The most counts that are read at once, so that others do not wait long. */
const readAtOnce = 1_000
/** After how many intervals everything else on the thread has its turn: a millisecond or two. */
const workedAtOnce = 32

export const getStatistics = ({
  store,
  clock,
  meaningOfError,
}: Pick<EventContext, 'store' | 'clock' | 'meaningOfError'>) => {
  // One answer is worked out at a time, because all of them take time on the same thread.
  const works = new FairSemaphore({ limit: 1 })
  return handler(operation, async ({ caller, query, signal, turn }) => {
    const now = clock.now()
    const organization = caller.organizationId
    const span = query.interval ?? 'hour'
    const instances = instancesOf(caller.instances, query.instance)
    const asked = { span, ...rangeOf(query, now), zone: query.time_zone }
    const named = namedIn(query.by_instance, caller.instances)
    refuseTooMany(asked, instances.length + named.length)
    const grid = gridOf(asked)
    // Read before the counts, which may be newer then, and are never older.
    const counted = await store.read(countedTime, { organization }, turn)
    const workOut = async () => {
      const sums = await sumsOf(store, { organization, grid, instances }, { turn, signal })
      let all: EventCounts = {}
      const data = await mapInParts([...sums], ([at, sum]) => {
        all = sumOf(all, sum.counts)
        return render(at, sum)
      })
      const by_instance = await seriesOf(store, { organization, grid, instances: named }, { turn, signal })
      return { totals: totalsOf(all, meaningOfError), data, by_instance }
    }
    const worked = await works.run(organization, workOut, signal)
    const body = {
      interval: span,
      from: timestamp(grid.from),
      to: timestamp(grid.to),
      counted_from: timestamp(Math.max(counted.from, now - keptFor(grid.span))),
      counted_until: timestamp(Math.min(now - appendedWithin, counted.uncounted ?? now)),
      ...worked,
    }
    return { status: 200, body }
  })
}

const keptFor = (span: Span) =>
  span === 'minute'
    ? bounds.statisticsMinuteHours.value * lengthOf.hour
    : bounds.statisticsDays.value * lengthOf.day

/** Works on each item, and lets everything else on the thread have its turn in between. */
async function mapInParts<T, R>(items: readonly T[], work: (item: T) => R): Promise<R[]> {
  const results: R[] = []
  for (let first = 0; first < items.length; first += workedAtOnce) {
    results.push(...items.slice(first, first + workedAtOnce).map(work))
    await setImmediate()
  }
  return results
}

/** The names of the instances that are wanted and may be seen; an empty name for all of the organization. */
function instancesOf(seen: readonly string[] | null, wanted: string | undefined): string[] {
  if (!seen) return [wanted ?? '']
  return seen.filter((name) => wanted === undefined || name === wanted)
}

/** The instances whose own counts are wanted, and may be seen. */
function namedIn(wanted: readonly string[] | undefined, seen: readonly string[] | null): string[] {
  return (wanted ?? []).filter((name) => seen === null || seen.includes(name))
}

interface Range {
  readonly from: number
  readonly to: number
}

/** The time that is asked for: by default a day, or as much as is kept of minutes. */
function rangeOf(query: QueryOf<typeof operation>, now: number): Range {
  const to = query.to === undefined ? now : momentOf(query.to)
  const usual = query.interval === 'minute' ? keptFor('minute') : lengthOf.day
  const from = query.from === undefined ? to - usual : momentOf(query.from)
  const refuse = (name: 'from' | 'to' | 'time_zone', fault: Omit<InvalidValue, 'pointer'>) => {
    throw invalid({ pointer: `query/${name}`, ...fault })
  }
  if (from >= to) refuse('from', { code: 'out_of_range', detail: 'The time must be before `to`.' })
  if (to <= 0) refuse('to', { code: 'out_of_range', detail: 'The time must be after 1970.' })
  if (query.time_zone !== undefined && !isTimeZone(query.time_zone)) {
    const detail =
      'This server knows no time zone of this name. Use one of the tz database, or leave it out for UTC.'
    refuse('time_zone', { code: 'out_of_range', detail })
  }
  return { from: Math.max(from, 0), to }
}

function refuseTooMany(asked: AskedRange, instances: number): void {
  const most = Math.min(intervalsAtMost, Math.floor(countsAtMost / Math.max(instances, 1)))
  if (countOf(asked) <= most) return
  const limited =
    most < intervalsAtMost ? ' for so many instances as your key is limited to or `by_instance` names' : ''
  const next = limited === '' ? '' : ', or name one `instance`'
  const longer =
    asked.span === 'minute'
      ? ', or ask for the interval `hour`'
      : asked.span === 'hour'
        ? ', or ask for the interval `day`'
        : asked.zone === undefined
          ? ''
          : ', or leave `time_zone` out: its days are made of hours, and those count'
  throw invalid({
    pointer: 'query/from',
    code: 'out_of_range',
    detail: `A response has at most ${most} intervals${limited}. Ask for a shorter time${next}${longer}.`,
  })
}

interface Wanted {
  readonly grid: Grid
  readonly instances: readonly string[]
}

interface Sum {
  counts: EventCounts
  queueDepth: number
}

/** The counts of all these instances together, for every interval in its order, by when it begins. */
async function sumsOf(
  store: Pick<StoreForAll, 'read'>,
  { organization, ...wanted }: Wanted & { readonly organization: string },
  { turn, signal }: Pick<Call<typeof operation>, 'turn' | 'signal'>,
): Promise<ReadonlyMap<number, Sum>> {
  const { span, from, to, intervals } = wanted.grid
  const starts = [...intervals.keys()]
  const sums = new Map([...intervals.values()].map((at) => [at, { counts: {}, queueDepth: 0 } as Sum]))
  // A queue is as deep at the end of an interval as at the end of its last part.
  const last = new Map([...intervals].map(([start, interval]) => [interval, start]))
  const together = Math.max(1, Math.floor(readAtOnce / intervals.size))
  for (let first = 0; first < wanted.instances.length && !signal.aborted; first += together) {
    const instances = wanted.instances.slice(first, first + together)
    const { rows, depths } = await store.read(readCounts, { organization, span, from, to, instances }, turn)
    await mapInParts(rows, ({ starts_at, counts }) => {
      const sum = sums.get(intervals.get(starts_at) ?? starts_at)
      if (sum) sum.counts = sumOf(sum.counts, JSON.parse(counts))
    })
    const byInstance = Map.groupBy(rows, ({ instance_name }) => instance_name)
    for (const instance of instances) {
      const ends = depthsAtEnds(starts, byInstance.get(instance) ?? [], depths.get(instance) ?? 0)
      for (const [interval, sum] of sums) sum.queueDepth += ends.get(last.get(interval) ?? interval) ?? 0
    }
  }
  return sums
}

/** The counts of each of these instances, for every interval in its order. */
async function seriesOf(
  store: Pick<StoreForAll, 'read'>,
  { organization, grid, instances }: Wanted & { readonly organization: string },
  { turn, signal }: Pick<Call<typeof operation>, 'turn' | 'signal'>,
): Promise<InstanceSeries[]> {
  const { span, from, to, intervals } = grid
  const order = new Map([...new Set(intervals.values())].map((start, at) => [start, at]))
  const zeros = () => Array.from(order, () => 0)
  const series = new Map(
    instances.map((instance) => [instance, { instance, sent: zeros(), failed: zeros(), received: zeros() }]),
  )
  const together = Math.max(1, Math.floor(readAtOnce / intervals.size))
  for (let first = 0; first < instances.length && !signal.aborted; first += together) {
    const some = instances.slice(first, first + together)
    const { rows } = await store.read(readCounts, { organization, span, from, to, instances: some }, turn)
    await mapInParts(rows, ({ instance_name, starts_at, counts }) => {
      const one = series.get(instance_name)
      const at = order.get(intervals.get(starts_at) ?? starts_at)
      if (!one || at === undefined) return
      const counted = JSON.parse(counts) as EventCounts
      for (const name of ['sent', 'failed', 'received'] as const)
        one[name][at] = (one[name][at] ?? 0) + (counted[name] ?? 0)
    })
  }
  return [...series.values()]
}

function render(from: number, { counts, queueDepth }: Sum): IntervalStatistics {
  return { from: timestamp(from), ...renderCounts(counts), queue_depth: queueDepth }
}

function renderCounts({ to_sent = {}, to_delivered = {}, ...counts }: EventCounts) {
  const named = Object.fromEntries(countNames.map((name) => [name, counts[name] ?? 0]))
  return {
    ...(named as Record<CountName, number>),
    to_sent: latencyOf(to_sent),
    to_delivered: latencyOf(to_delivered),
  }
}

function totalsOf(counts: EventCounts, meaningOfError: EventContext['meaningOfError']): StatisticsTotals {
  const failures = Object.entries(counts.failed_with ?? {})
    .map(([name, count]): FailureCount => {
      const error = countedError(name)
      return { ...error, detail: meaningOfError(error) ?? null, count }
    })
    .toSorted((a, b) => b.count - a.count)
  return { ...renderCounts(counts), failures: failures.slice(0, maxFailures) }
}
