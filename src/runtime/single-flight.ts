/**
 * Lets concurrent callers who want the same share one read. A caller that comes while a read is under way shares the next one,
 * because the present one may return an older state.
 */
export class SingleFlight<T> {
  readonly #underway = new Map<string, Promise<T>>()
  readonly #next = new Map<string, Promise<T>>()

  /** Reads what `key` stands for; `read` must do the same for every caller with this key. */
  read(key: string, read: () => Promise<T>): Promise<T> {
    const known = this.#next.get(key)
    if (known) return known
    const begin = () => this.#begin(key, read)
    const before: Promise<unknown> = this.#underway.get(key) ?? Promise.resolve()
    const next = before.then(begin, begin)
    this.#next.set(key, next)
    return next
  }

  #begin(key: string, read: () => Promise<T>): Promise<T> {
    const reading = read().finally(() => {
      if (this.#underway.get(key) === reading) this.#underway.delete(key)
    })
    this.#underway.set(key, reading)
    this.#next.delete(key)
    return reading
  }
}
