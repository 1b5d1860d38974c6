import type { Log } from '../runtime/log.ts'
import type { StoreForAll } from '../store/store.ts'
import { readNodes } from './node-overview.ts'
import type { Peers } from './peers.ts'

interface Context {
  readonly store: StoreForAll
  readonly peers: Pick<Peers, 'takers'>
  readonly log: Log
}

/**
 * Names the node that is to take each instance that this one gives away: the one that will have the fewest. So that one takes it
 * without a search, and no other tries to.
 */
export class Successors {
  readonly #context: Context
  /** The instances of each node, by its id, with those that were given to it since they were counted. */
  #counts = new Map<string, number>()

  constructor(context: Context) {
    this.#context = context
  }

  /** Counts what all nodes have. If the store does not say, all count as equal. */
  async count(): Promise<void> {
    try {
      const nodes = await this.#context.store.read(readNodes, null, { party: 'nodes' })
      this.#counts = new Map(nodes.map(({ id, instances }) => [id, instances]))
    } catch (error) {
      this.#context.log.warn({ err: error }, 'could not count the instances of other nodes')
    }
  }

  /** Returns the id of the node; undefined if none takes instances. */
  next(): string | undefined {
    const counted = this.#context.peers.takers.map((id) => [id, this.#counts.get(id) ?? 0] as const)
    const [chosen] = counted.toSorted(([, one], [, other]) => one - other)
    if (!chosen) return undefined
    const [id, count] = chosen
    this.#counts.set(id, count + 1)
    return id
  }
}
