import { Problem } from '../contract/problem.ts'

/** Counts the event streams that each key has open. */
export class StreamLimit {
  readonly #most: number
  readonly #open = new Map<string, number>()

  constructor(most: number) {
    this.#most = most
  }

  /** Takes one of the streams that are allowed, or throws the problem if there is none left. Call the returned function once, at the end. */
  take(keyId: string): () => void {
    const open = this.#open.get(keyId) ?? 0
    if (open >= this.#most) throw new Problem('too_many_streams', { headers: { 'retry-after': '5' } })
    this.#open.set(keyId, open + 1)
    return () => {
      const left = (this.#open.get(keyId) ?? 0) - 1
      if (left > 0) this.#open.set(keyId, left)
      else this.#open.delete(keyId)
    }
  }
}
