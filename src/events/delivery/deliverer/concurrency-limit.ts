/**
 * Limits how many attempts of all organizations may be under way at a time. Organizations that need more wait in the order in
 * which they were last served.
 */
export class ConcurrencyLimit {
  #free: number
  readonly #waiting = new Set<string>()

  constructor(count: number) {
    this.#free = count
  }

  get free(): number {
    return this.#free
  }

  /** Takes up to `count` of what is free, and returns how many it took. */
  take(count: number): number {
    const taken = Math.min(count, this.#free)
    this.#free -= taken
    return taken
  }

  release(count: number): void {
    this.#free += count
  }

  /** Records the result of serving an organization: whether it began an attempt, and whether it could have begun more. */
  note(organization: string, { served, lacks }: { served: boolean; lacks: boolean }): void {
    if (served || !lacks) this.#waiting.delete(organization)
    if (lacks) this.#waiting.add(organization)
  }

  /** The waiting organizations that may have more, as many as there is capacity for. They wait until they are served. */
  next(mayHaveMore: (organization: string) => boolean): string[] {
    return [...this.#waiting.values().filter(mayHaveMore).take(this.#free)]
  }
}
