/** Gives away together what is added in one turn of the event loop, in its order: each time costs as much as what is given. */
export class TurnBatch<Item> {
  readonly #give: (items: readonly Item[]) => void
  #waiting: Item[] = []

  constructor(give: (items: readonly Item[]) => void) {
    this.#give = give
  }

  add(item: Item): void {
    if (this.#waiting.push(item) === 1) setImmediate(() => this.flush())
  }

  /** Gives away now what waits. */
  flush(): void {
    const items = this.#waiting
    if (items.length === 0) return
    this.#waiting = []
    this.#give(items)
  }
}
