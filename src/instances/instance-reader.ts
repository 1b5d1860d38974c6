import type { Store } from '../store/store.ts'
import { findInstance, type InstanceFilter, listInstances } from './instance-store.ts'

/** Reads instances for callers, and remembers the oldest message of each queue, so that it need not be looked for again. */
export class InstanceReader {
  readonly #store: Store
  /** The numbers of the oldest messages, by organization and by the name of the instance. */
  readonly #oldest = new Map<string, Map<string, number>>()

  constructor(store: Store) {
    this.#store = store
  }

  /** The instance of this name, if it is the organization's. */
  async find(organization: string, name: string) {
    const believed = this.#oldest.get(organization)?.get(name) ?? null
    const found = await this.#store.read(
      findInstance,
      { organization, name, believed },
      { party: organization },
    )
    this.#believe(organization, name, found?.oldest?.seq)
    return found
  }

  /** A page of instances by name, and the name after which there may be more; null at the end. */
  async list(filter: Omit<InstanceFilter, 'believed'>) {
    const { organizationId } = filter
    const believed = this.#oldest.get(organizationId) ?? new Map<string, number>()
    const page = await this.#store.read(listInstances, { ...filter, believed }, { party: organizationId })
    for (const { row, oldest } of page.readings) this.#believe(organizationId, row.name, oldest?.seq)
    return page
  }

  /** Only queues with something in them are remembered. */
  #believe(organization: string, name: string, seq: number | undefined): void {
    const own = this.#oldest.get(organization) ?? new Map<string, number>()
    if (seq === undefined) own.delete(name)
    else own.set(name, seq)
    if (own.size === 0) this.#oldest.delete(organization)
    else this.#oldest.set(organization, own)
  }
}
