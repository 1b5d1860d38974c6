/**
 * How many attempts may be under way at a time, of all organizations together. Organizations that find no place are told in
 * the order in which they asked, when there is one.
 */
export class Places {
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

  /** Gives places back; tells who has waited for them. */
  giveBack(count: number): string[] {
    this.#free += count
    const next = [...this.#waiting.values().take(this.#free)]
    for (const organization of next) this.#waiting.delete(organization)
    return next
  }

  /** From now on this organization waits for a place, if it did not yet. */
  wait(organization: string): void {
    this.#waiting.add(organization)
  }
}
