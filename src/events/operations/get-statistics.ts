import { setImmediate } from 'node:timers/promises'
import { type Call, handler } from '../../contract/handler.ts'
import type { QueryOf } from '../../contract/operation.ts'
import {
  countsAtMost,
  type IntervalStatistics,
  intervalsAtMost,
  getStatistics as operation,
} from '../../contract/operations/statistics-operations.ts'
import { type InvalidValue, invalid } from '../../contract/problem.ts'
import { type CountName, countNames } from '../../contract/statuses.ts'
import { momentOf, timestamp } from '../../runtime/clock.ts'
import { FairSemaphore } from '../../runtime/limits/fair-semaphore.ts'
import type { StoreForAll } from '../../store/store.ts'
import type { Span } from '../../store/tables/statistics.ts'
import type { EventContext } from '../context.ts'
import { type EventCounts, sumOf } from '../statistics/counts.ts'
import { lengthOf, startOf } from '../statistics/interval.ts'
import { latencyOf } from '../statistics/latency.ts'
import { depthsAtEnds } from '../statistics/queue-depths.ts'
import { oldestUncounted, readCounts } from '../statistics/statistics-store.ts'

/** The most milliseconds between the time of an event and the moment when the store shows that it is not counted yet. */
const appendedWithin = 60_000
/** The most counts that are read at once, so that others do not wait long. */
const readAtOnce = 1_000
/** After how many intervals everything else on the thread has its turn: a millisecond or two. */
const workedAtOnce = 32

export const getStatistics = ({ store, clock }: Pick<EventContext, 'store' | 'clock'>) => {
  // One answer is worked out at a time, because all of them take time on the same thread.
  const works = new FairSemaphore({ limit: 1 })
  return handler(operation, async ({ caller, query, signal, turn }) => {
    const now = clock.now()
    const organization = caller.organizationId
    const span = query.interval ?? 'hour'
    const instances = instancesOf(caller.instances, query.instance)
    const range = { span, ...rangeOf(query, span, now), instances }
    refuseTooMany(range)
    // Read before the counts, which may be newer then, and are never older.
    const uncounted = await store.read(oldestUncounted, { organization }, turn)
    const workOut = async () => {
      const sums = await sumsOf(store, { organization, ...range }, { turn, signal })
      return mapInParts([...sums], ([at, sum]) => render(at, sum))
    }
    const data = await works.run(organization, workOut, signal)
    const body = {
      interval: span,
      from: timestamp(range.from),
      to: timestamp(range.to),
      counted_until: timestamp(Math.min(now - appendedWithin, uncounted ?? now)),
      data,
    }
    return { status: 200, body }
  })
}

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

interface Range {
  readonly from: number
  readonly to: number
}

/** When the first interval begins and the last one ends. */
function rangeOf(query: QueryOf<typeof operation>, span: Span, now: number): Range {
  const to = query.to === undefined ? now : momentOf(query.to)
  const from = query.from === undefined ? to - lengthOf.day : momentOf(query.from)
  const refuse = (name: 'from' | 'to', fault: Omit<InvalidValue, 'pointer'>) => {
    throw invalid({ pointer: `query/${name}`, ...fault })
  }
  if (from >= to) refuse('from', { code: 'out_of_range', detail: 'The time must be before `to`.' })
  if (to <= 0) refuse('to', { code: 'out_of_range', detail: 'The time must be after 1970.' })
  return { from: startOf(span, Math.max(from, 0)), to: startOf(span, to - 1) + lengthOf[span] }
}

interface Wanted extends Range {
  readonly span: Span
  readonly instances: readonly string[]
}

const intervalsOf = ({ from, to, span }: Wanted) => (to - from) / lengthOf[span]

function refuseTooMany(wanted: Wanted): void {
  const most = Math.min(intervalsAtMost, Math.floor(countsAtMost / Math.max(wanted.instances.length, 1)))
  if (intervalsOf(wanted) <= most) return
  const limited = most < intervalsAtMost ? ' for so many instances as your key is limited to' : ''
  const next = limited === '' ? '' : ', or name one `instance`'
  const longer = wanted.span === 'hour' ? ', or ask for the interval `day`' : ''
  throw invalid({
    pointer: 'query/from',
    code: 'out_of_range',
    detail: `A response has at most ${most} intervals${limited}. Ask for a shorter time${next}${longer}.`,
  })
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
  const starts = Array.from({ length: intervalsOf(wanted) }, (_, index) => {
    return wanted.from + index * lengthOf[wanted.span]
  })
  const sums = new Map(starts.map((at) => [at, { counts: {}, queueDepth: 0 } as Sum]))
  const together = Math.max(1, Math.floor(readAtOnce / intervalsOf(wanted)))
  for (let first = 0; first < wanted.instances.length && !signal.aborted; first += together) {
    const instances = wanted.instances.slice(first, first + together)
    const { rows, depths } = await store.read(readCounts, { organization, ...wanted, instances }, turn)
    await mapInParts(rows, ({ starts_at, counts }) => {
      const sum = sums.get(starts_at)
      if (sum) sum.counts = sumOf(sum.counts, JSON.parse(counts))
    })
    const byInstance = Map.groupBy(rows, ({ instance_name }) => instance_name)
    for (const instance of instances) {
      const ends = depthsAtEnds(starts, byInstance.get(instance) ?? [], depths.get(instance) ?? 0)
      for (const [at, depth] of ends) {
        const sum = sums.get(at)
        if (sum) sum.queueDepth += depth
      }
    }
  }
  return sums
}

function render(from: number, { counts: all, queueDepth }: Sum): IntervalStatistics {
  const { to_sent = {}, to_delivered = {}, ...counts } = all
  const named = Object.fromEntries(countNames.map((name) => [name, counts[name] ?? 0]))
  return {
    from: timestamp(from),
    ...(named as Record<CountName, number>),
    queue_depth: queueDepth,
    to_sent: latencyOf(to_sent),
    to_delivered: latencyOf(to_delivered),
  }
}
