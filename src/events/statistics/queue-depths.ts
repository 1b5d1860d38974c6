import { batchStatement } from '../../store/statement.ts'
import type { Reader, Transaction } from '../../store/store.ts'
import type { Span } from '../../store/tables/statistics.ts'

/** A queue: that of an instance, or of all together if the name is empty. */
export interface QueueName {
  readonly organization: string
  readonly instance: string
}

/** Numbers of messages in a queue before and after an hour or a day. */
export interface QueueMove {
  readonly before: number
  readonly after: number
}

const naming = { organization: 'text', instance: 'text' } as const

const selectDepths = batchStatement<QueueName>(naming)((sql, given) =>
  sql
    .selectFrom('queue_depths')
    .select(['instance_name as instance', 'depth'])
    .where('organization_id', '=', given('organization'))
    .where('instance_name', '=', given('instance')),
)

const writeDepths = batchStatement<QueueName & { depth: number }>({ ...naming, depth: 'bigint' })(
  (sql, given) =>
    sql
      .insertInto('queue_depths')
      .values({
        organization_id: given('organization'),
        instance_name: given('instance'),
        depth: given('depth'),
      })
      .onConflict((conflict) =>
        conflict
          .columns(['organization_id', 'instance_name'])
          .doUpdateSet((eb) => ({ depth: eb.ref('excluded.depth') })),
      ),
)

const removeDepths = batchStatement<QueueName>(naming)((sql, given) =>
  sql
    .deleteFrom('queue_depths')
    .where('organization_id', '=', given('organization'))
    .where('instance_name', '=', given('instance')),
)

/** Returns the number of messages in each of these queues after the last event that is counted; empty ones are left out. */
export async function depthsOf(
  reader: Reader,
  queues: readonly QueueName[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await reader.allForEach(selectDepths, queues)
  return new Map(rows.map(({ instance, depth }) => [instance, depth]))
}

/** The queues of an organization while events are counted. */
export class CountedQueues {
  readonly #organization: string
  readonly #stored: ReadonlyMap<string, number>
  readonly #depths: Readonly<Record<Span, Map<string, number>>>

  private constructor(organization: string, stored: ReadonlyMap<string, number>) {
    this.#organization = organization
    this.#stored = stored
    this.#depths = { hour: new Map(stored), day: new Map(stored) }
  }

  static async of(tx: Transaction, organization: string, instances: ReadonlySet<string>) {
    const queues = [...instances].map((instance) => ({ organization, instance }))
    return new CountedQueues(organization, await depthsOf(tx, queues))
  }

  /** Lets messages enter and leave a queue. The hours and the days each tell it once, in their order. */
  move(span: Span, instance: string, change: number): QueueMove {
    const before = this.#depths[span].get(instance) ?? 0
    const after = before + change
    this.#depths[span].set(instance, after)
    return { before, after }
  }

  /** An empty queue has no row, so there are no more rows than instances with messages that wait. */
  async keep(tx: Transaction): Promise<void> {
    const organization = this.#organization
    const changed = [...this.#depths.hour]
      .filter(([instance, depth]) => depth !== (this.#stored.get(instance) ?? 0))
      .map(([instance, depth]) => ({ organization, instance, depth }))
    const filled = changed.filter(({ depth }) => depth !== 0)
    const emptied = changed.filter(({ depth }) => depth === 0)
    if (filled.length > 0) await tx.runForEach(writeDepths, filled)
    if (emptied.length > 0)
      await tx.runForEach(
        removeDepths,
        emptied.map(({ instance }) => ({ organization, instance })),
      )
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
