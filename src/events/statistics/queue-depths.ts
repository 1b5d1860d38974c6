import { batchOf } from '../../store/statement.ts'
import type { Reader, Transaction } from '../../store/store.ts'
import type { Span } from '../../store/tables/statistics.ts'

/** Numbers of messages in a queue before and after an interval. */
export interface QueueMove {
  readonly before: number
  readonly after: number
}

const naming = ['organization_id', 'instance_name'] as const

const selectDepths = batchOf(
  'queue_depths',
  naming,
)((sql, row) =>
  sql
    .selectFrom('queue_depths')
    .select(['instance_name', 'depth'])
    .where('organization_id', '=', row.organization_id)
    .where('instance_name', '=', row.instance_name),
)

const writeDepths = batchOf('queue_depths', [...naming, 'depth'])((sql, row) =>
  sql
    .insertInto('queue_depths')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(naming).doUpdateSet((eb) => ({ depth: eb.ref('excluded.depth') })),
    ),
)

const removeDepths = batchOf(
  'queue_depths',
  naming,
)((sql, row) =>
  sql
    .deleteFrom('queue_depths')
    .where('organization_id', '=', row.organization_id)
    .where('instance_name', '=', row.instance_name),
)

/**
 * Returns the number of messages in the queue of each of these instances, or of all together if the name is empty, after the last event
 * that is counted; empty ones are left out.
 */
export async function depthsOf(
  reader: Reader,
  organization_id: string,
  instances: Iterable<string>,
): Promise<ReadonlyMap<string, number>> {
  const queues = [...instances].map((instance_name) => ({ organization_id, instance_name }))
  const rows = await reader.allForEach(selectDepths, queues)
  return new Map(rows.map(({ instance_name, depth }) => [instance_name, depth]))
}

/** The queues of an organization while events are counted. */
export class CountedQueues {
  readonly #organization: string
  readonly #stored: ReadonlyMap<string, number>
  readonly #depths: Readonly<Record<Span, Map<string, number>>>

  private constructor(organization: string, stored: ReadonlyMap<string, number>) {
    this.#organization = organization
    this.#stored = stored
    this.#depths = { minute: new Map(stored), hour: new Map(stored), day: new Map(stored) }
  }

  static async of(tx: Transaction, organization: string, instances: ReadonlySet<string>) {
    return new CountedQueues(organization, await depthsOf(tx, organization, instances))
  }

  /** Lets messages enter and leave a queue. The minutes, the hours and the days each tell it once, in their order. */
  move(span: Span, instance: string, change: number): QueueMove {
    const before = this.#depths[span].get(instance) ?? 0
    const after = before + change
    this.#depths[span].set(instance, after)
    return { before, after }
  }

  /** An empty queue has no row, so there are no more rows than instances with messages that wait. */
  async keep(tx: Transaction): Promise<void> {
    const changed = [...this.#depths.hour]
      .filter(([instance, depth]) => depth !== (this.#stored.get(instance) ?? 0))
      .map(([instance_name, depth]) => ({ organization_id: this.#organization, instance_name, depth }))
    const isEmpty = ({ depth }: { depth: number }) => depth === 0
    await tx.runForEach(
      writeDepths,
      changed.filter((row) => !isEmpty(row)),
    )
    await tx.runForEach(removeDepths, changed.filter(isEmpty))
  }
}

/** The depths of a queue before and after an interval with counted events. */
export interface CountedInterval {
  readonly starts_at: number
  readonly queue_before: number
  readonly queue_after: number
}

/**
 * Returns the number of messages in a queue at the end of each interval, by the beginning of the interval. `after` is the
 * number before the first event that is counted after the last interval. An interval without events changes nothing.
 */
export function depthsAtEnds(
  starts: readonly number[],
  counted: readonly CountedInterval[],
  after: number,
): ReadonlyMap<number, number> {
  const byStart = new Map(counted.map((one) => [one.starts_at, one]))
  const depths = new Map<number, number>()
  let next = after
  for (const start of starts.toReversed()) {
    const own = byStart.get(start)
    depths.set(start, own?.queue_after ?? next)
    next = own?.queue_before ?? next
  }
  return depths
}
