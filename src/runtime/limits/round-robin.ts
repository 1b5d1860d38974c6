/**
 * A queue in which parties take turns, one item each. A party that comes stands behind all others, so it suits parties that can be
 * made up in any number, such as addresses: in a `FairQueue`, newcomers would pass those that wait.
 */
export class RoundRobin<T> {
  /** In the order of their turns. */
  readonly #parties = new Map<string, Set<T>>()

  get isEmpty(): boolean {
    return this.#parties.size === 0
  }

  /** An item that waits already keeps its position. */
  push(party: string, item: T): void {
    const own = this.#parties.get(party)
    if (own) own.add(item)
    else this.#parties.set(party, new Set([item]))
  }

  /** Takes the next item; its party then stands behind the others. */
  take(): T | undefined {
    const [next] = this.#parties
    if (!next) return undefined
    const [party, own] = next
    const [item] = own as Iterable<T> as [T]
    this.#parties.delete(party)
    own.delete(item)
    if (own.size > 0) this.#parties.set(party, own)
    return item
  }

  /** Removes an item that waits; false if it does not. */
  remove(party: string, item: T): boolean {
    const own = this.#parties.get(party)
    if (!own?.delete(item)) return false
    if (own.size === 0) this.#parties.delete(party)
    return true
  }

  clear(): void {
    this.#parties.clear()
  }
}
