/** Tasks done in one turn of the event loop. */
const maxPerTurn = 8

/** Does tasks in their order, a few in each turn of the event loop, so that a burst of them delays nothing else. */
export class TickQueue {
  #waiting: (() => void)[] = []
  #isPlanned = false

  do(work: () => void): void {
    this.#waiting.push(work)
    this.#plan()
  }

  #plan(): void {
    if (this.#isPlanned || this.#waiting.length === 0) return
    this.#isPlanned = true
    setImmediate(() => {
      this.#isPlanned = false
      const now = this.#waiting.splice(0, maxPerTurn)
      this.#plan()
      for (const work of now) work()
    })
  }
}
