import type { StoreForAll, Turn } from '../store/store.ts'
import { findInstance, type InstanceFilter, listInstances } from './instance-store.ts'

/** Reads instances for callers. */
export class InstanceReader {
  readonly #store: StoreForAll

  constructor(store: StoreForAll) {
    this.#store = store
  }

  /** The instance of this name, if it is the organization's. */
  find(organization: string, name: string) {
    return this.#store.read(findInstance, { organization, name }, { party: organization })
  }

  /** A page of instances by name, and the name after which there may be more; null at the end. */
  list(filter: InstanceFilter, turn: Turn) {
    return this.#store.read(listInstances, filter, turn)
  }
}
