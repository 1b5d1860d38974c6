/**
 * How many attempts may be under way at a time, of all organizations together. Those who find too few wait in the order in
 * which they were served last.
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

  /** Takes as many as there are, at most `count`; tells how many. */
  take(count: number): number {
    const taken = Math.min(count, this.#free)
    this.#free -= taken
    return taken
  }

  release(count: number): void {
    this.#free += count
  }

  /** What came of serving an organization: whether it began an attempt, and whether it could have begun more. */
  note(organization: string, { served, lacks }: { served: boolean; lacks: boolean }): void {
    if (served || !lacks) this.#waiting.delete(organization)
    if (lacks) this.#waiting.add(organization)
  }

  /** Those who wait, may have more, and for whom there is capacity. They wait until they were served. */
  next(mayHaveMore: (organization: string) => boolean): string[] {
    return [...this.#waiting.values().filter(mayHaveMore).take(this.#free)]
  }
}
