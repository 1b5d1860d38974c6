import type { Json } from '../../kit/json.ts'
import { type GroupOrderResult, requestIdIn, resultIn } from '../incoming/group-results.ts'

/** Results that are kept while their order still waits for the id of its request: the callback may come before the answer. */
const maxEarly = 20

/**
 * The orders about groups that are under way, and what callbacks told of them. All of it is in memory: a callback comes to the connection that
 * gave the order, or to one that has no order under way, because another process gave it.
 */
export class OrderResults {
  #count = 0
  readonly #told = new Map<string, GroupOrderResult>()
  readonly #waiting = new Map<string, (result: GroupOrderResult) => void>()

  /** A callback told something about a group. Of orders that are not under way, nothing is kept. */
  tell(about: Json): null {
    const id = this.#count > 0 ? requestIdIn(about) : null
    if (id === null) return null
    const result = resultIn(about)
    this.#waiting.get(id)?.(result)
    this.#told.set(id, result)
    if (this.#told.size > maxEarly) this.#told.delete(this.#told.keys().next().value as string)
    return null
  }

  /** Gives an order, which may wait for its result. */
  async during<T>(order: (resultOf: ResultOf) => Promise<T>): Promise<T> {
    this.#count++
    try {
      return await order((id, signal) => this.#resultOf(id, signal))
    } finally {
      this.#count--
      if (this.#count === 0) this.#told.clear()
    }
  }

  async #resultOf(id: string, signal: AbortSignal): Promise<GroupOrderResult | null> {
    const told = this.#told.get(id)
    if (told) return told
    const { promise, resolve } = Promise.withResolvers<GroupOrderResult | null>()
    const giveUp = () => resolve(null)
    this.#waiting.set(id, resolve)
    signal.addEventListener('abort', giveUp, { once: true })
    if (signal.aborted) giveUp()
    try {
      return await promise
    } finally {
      this.#waiting.delete(id)
      signal.removeEventListener('abort', giveUp)
    }
  }
}

/** Resolves with the result of the request with this id; with null if the signal aborts before it is told. */
export type ResultOf = (id: string, signal: AbortSignal) => Promise<GroupOrderResult | null>
