import { batchStatement } from '../../../store/statement.ts'
import type { Transaction } from '../../../store/store.ts'
import { type NewMessage, storedSize } from '../../message.ts'
import type { NewMessageFile } from '../../message-file.ts'
import { counting, type Lane } from '../queue/lane.ts'
import { isLost, type readTargets, type TargetState } from '../queue/targets.ts'

/** A message that may be accepted, and the limits that it meets. */
export interface MessageToAccept {
  readonly message: NewMessage
  /** Only of a message with a file. */
  readonly file?: NewMessageFile
  /** The number of the message that this one changes or replies to. */
  readonly target?: number
  /** Unsettled messages that the instance may have; null for any number. */
  readonly queueLimit: number | null
  /** Unsettled messages that the organization may have; null for any number. */
  readonly unsettledLimit: number | null
  /** Bytes of messages that the organization may have; null for any number. */
  readonly storedLimit: number | null
}

/** The reason for which a message is not accepted. */
export type Refused =
  | { readonly kind: 'queue_full' | 'instance_gone' | 'instance_deleting' | 'target_not_sent' }
  | ({ readonly kind: 'unsettled_quota_exceeded' } & QuotaUsed)
  | ({ readonly kind: 'stored_quota_exceeded'; readonly needed: number } & QuotaUsed)

/** The organization's use of a quota, and its limit: messages, or bytes. */
interface QuotaUsed {
  readonly used: number
  readonly limit: number
}

/** The states of the messages that others refer to, by their numbers. */
export type Targets = Awaited<ReturnType<typeof readTargets>>

const selectQueues = batchStatement({ instance: 'text' })((sql, given) =>
  sql
    .selectFrom('instances')
    .innerJoin('organizations', 'organizations.id', 'instances.organization_id')
    .innerJoin('message_instances', 'message_instances.instance_id', 'instances.id')
    .select(['instances.id', 'number', 'instances.organization_id', 'wanted', 'queue_depth'])
    .select(['unsettled_messages', 'stored_bytes', 'last_event_at'])
    .select((eb) =>
      eb
        .selectFrom('outbox')
        .select(({ fn }) => fn.max('queue_position').as('last'))
        .whereRef('outbox.instance', '=', 'number')
        .where('queue_position', 'is not', null)
        .as('last_position'),
    )
    .where('instances.id', '=', given('instance')),
)

const raiseDepth = batchStatement({ instance: 'text', count: 'integer' })((sql, given) =>
  sql
    .updateTable('instances')
    .set((eb) => ({ queue_depth: eb('queue_depth', '+', given('count')) }))
    .where('id', '=', given('instance')),
)

interface Queue {
  /** The number of the instance. */
  readonly instance: number
  readonly organization: string
  readonly isRemoved: boolean
  readonly depth: number
  readonly lastEventAt: number
  readonly lastPosition: number
  taken: number
}

/** The room that is left in the queues of instances and the quotas of organizations. */
export class QueueCapacity {
  readonly #queues = new Map<string, Queue>()
  /** The use of each organization. */
  readonly #usage = new Map<string, { unsettled: number; stored: number }>()

  static async of(tx: Transaction, calls: readonly MessageToAccept[]): Promise<QueueCapacity> {
    const capacity = new QueueCapacity()
    const ids = new Set(calls.map(({ message }) => message.instance_id))
    const rows = await tx.allForEach(
      selectQueues,
      [...ids].map((instance) => ({ instance })),
    )
    for (const row of rows) {
      const {
        id,
        number: instance,
        organization_id: organization,
        wanted,
        queue_depth: depth,
        last_event_at: lastEventAt,
      } = row
      const isRemoved = wanted === 'removed'
      const lastPosition = row.last_position ?? 0
      const queue = { instance, organization, isRemoved, depth, lastEventAt, lastPosition, taken: 0 }
      capacity.#queues.set(id, queue)
      capacity.#usage.set(organization, { unsettled: row.unsettled_messages, stored: row.stored_bytes })
    }
    return capacity
  }

  /** Takes a place for a message, or says why there is none. */
  take(
    { message, target, queueLimit, unsettledLimit, storedLimit }: MessageToAccept,
    targets: Targets,
  ): Refused | undefined {
    const queue = this.#queues.get(message.instance_id)
    if (!queue || !this.has(message)) return { kind: 'instance_gone' }
    if (queue.isRemoved) return { kind: 'instance_deleting' }
    if (target !== undefined && isLostFor(queue.instance, targets.get(target)))
      return { kind: 'target_not_sent' }
    const usage = this.#usage.get(queue.organization) ?? { unsettled: 0, stored: 0 }
    const size = storedSize(message)
    if (queueLimit !== null && queue.depth + queue.taken >= queueLimit) return { kind: 'queue_full' }
    if (unsettledLimit !== null && usage.unsettled >= unsettledLimit)
      return { kind: 'unsettled_quota_exceeded', used: usage.unsettled, limit: unsettledLimit }
    if (storedLimit !== null && usage.stored + size > storedLimit)
      return { kind: 'stored_quota_exceeded', used: usage.stored, limit: storedLimit, needed: size }
    queue.taken++
    usage.unsettled++
    usage.stored += size
    return undefined
  }

  /** False if the instance of a message is gone, or is another organization's. */
  has({ instance_id, organization_id }: NewMessage): boolean {
    return this.#queues.get(instance_id)?.organization === organization_id
  }

  /** Returns the time of an event of a message that was taken: as `timeOfEvent` finds it. */
  timeOfEvent({ instance_id }: NewMessage, now: number): number {
    return Math.max(now, this.#queues.get(instance_id)?.lastEventAt ?? 0)
  }

  /** Returns the lane of a message that was taken. */
  laneOf({ instance_id, recipient }: NewMessage): Lane {
    return { instance: this.#queues.get(instance_id)?.instance ?? 0, recipient }
  }

  /** The numbers of the instances. */
  instances(): number[] {
    return [...this.#queues.values()].map(({ instance }) => instance)
  }

  /** Hands out positions at the end of the queues. */
  positions(): (instance: number) => number {
    return counting(
      new Map([...this.#queues.values()].map(({ instance, lastPosition }) => [instance, lastPosition])),
    )
  }

  /** Stores how many places were taken; those of organizations are counted with the events. */
  keep(tx: Transaction): void {
    const places = [...this.#queues].map(([instance, { taken: count }]) => ({ instance, count }))
    tx.sendForEach(
      raiseDepth,
      places.filter(({ count }) => count > 0),
    )
  }
}

/** A message of another instance is none to refer to. */
function isLostFor(instance: number, state: TargetState | undefined): boolean {
  return isLost(state) || state?.instance !== instance
}
