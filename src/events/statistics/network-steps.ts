import { batchStatement } from '../../store/statement.ts'
import type { Transaction } from '../../store/store.ts'
import { countedAs, type EventToCount, latencyIn, type MessageToCount, type SettledCount } from './counts.ts'

/** Steps of messages of one network. */
export interface NetworkSteps {
  readonly network: string
  /** Number of messages that became each of these; zeros are left out. */
  readonly settled: Partial<Record<SettledCount, number>>
  /** Milliseconds from when each message was due until the network had it, and until it was delivered. */
  readonly toSent: number[]
  readonly toDelivered: number[]
}

const selectNetworks = batchStatement({ number: 'bigint' })((sql, given) =>
  sql
    .selectFrom('message_instances')
    .innerJoin('instances', 'instances.id', 'message_instances.instance_id')
    .select(['number', 'network'])
    .where('number', '=', given('number')),
)

/** Returns the networks of instances by their numbers. One that is gone has none any more. */
export async function networksByNumber(
  tx: Transaction,
  numbers: Iterable<number>,
): Promise<ReadonlyMap<number, string>> {
  const asked = [...numbers].map((number) => ({ number }))
  if (asked.length === 0) return new Map()
  const rows = await tx.allForEach(selectNetworks, asked)
  return new Map(rows.map(({ number, network }) => [number, network]))
}

/** Collects the steps of messages while their events are counted. */
export class StepsOfNetworks {
  /** By the number of the instance of the message. */
  readonly #steps = new Map<number, Omit<NetworkSteps, 'network'>>()

  add({ type, data }: EventToCount, message: MessageToCount & { readonly instance: number }): void {
    const name = countedAs[type]
    if (name === undefined || name === 'accepted' || name === 'received' || name === 'read') return
    let steps = this.#steps.get(message.instance)
    if (!steps) {
      steps = { settled: {}, toSent: [], toDelivered: [] }
      this.#steps.set(message.instance, steps)
    }
    if (name !== 'delivered') steps.settled[name] = (steps.settled[name] ?? 0) + 1
    if (name !== 'sent' && name !== 'delivered') return
    const latency = latencyIn(data, name, message)
    if (latency !== undefined) (name === 'sent' ? steps.toSent : steps.toDelivered).push(latency)
  }

  /** Returns all steps with their networks. An instance that is gone has no network any more; its messages are left out. */
  async end(tx: Transaction): Promise<NetworkSteps[]> {
    const networks = await networksByNumber(tx, this.#steps.keys())
    return [...networks].flatMap(([number, network]) => {
      const steps = this.#steps.get(number)
      return steps ? [{ network, ...steps }] : []
    })
  }
}
