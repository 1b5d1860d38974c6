import type { InstanceStatus } from '../contract/resources/instance.ts'
import type { StoreForAll, Turn } from '../store/store.ts'
import type { InstanceReading, InstanceRow } from './instance.ts'
import { findInstance, type InstanceFilter, listInstances } from './instance-store.ts'
import { ourReasons } from './reasons.ts'

/** The nodes as this one sees them. */
interface Nodes {
  /** True if a node runs and what it has stored is still true, as far as this one knows. */
  isHeard(id: string): boolean
}

/** Statuses that are true only while a node runs the instance. */
const livingStatuses: readonly InstanceStatus[] = ['connecting', 'connected', 'reconnecting', 'awaiting_link']

/** Reads instances for callers. */
export class InstanceReader {
  readonly #store: StoreForAll
  readonly #nodes: Nodes

  constructor(store: StoreForAll, nodes: Nodes) {
    this.#store = store
    this.#nodes = nodes
  }

  /** The instance of this name, if it is the organization's. */
  async find(organization: string, name: string) {
    const found = await this.#store.read(findInstance, { organization, name }, { party: organization })
    return found && { ...found, ...this.#seen(found) }
  }

  /** A page of instances by name, and the name after which there may be more; null at the end. */
  async list(filter: InstanceFilter, turn: Turn) {
    const page = await this.#store.read(listInstances, filter, turn)
    return { ...page, readings: page.readings.map((reading) => this.#seen(reading)) }
  }

  /** The last word of a node that does not respond is not told as true: nothing is known of the connection. */
  #seen(reading: InstanceReading): InstanceReading {
    const { row } = reading
    if (!livingStatuses.includes(row.status) || (row.owner !== null && this.#nodes.isHeard(row.owner)))
      return reading
    const lost: Partial<InstanceRow> = {
      status: 'reconnecting',
      reason: JSON.stringify(ourReasons.ownerLost),
    }
    return { ...reading, row: { ...row, ...lost } }
  }
}
