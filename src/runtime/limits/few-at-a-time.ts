/** How much is done before everything else that is due has its turn. */
const together = 8

/** Does work in the order in which it is given, a little in each turn of the event loop, so that a burst of it holds nobody up. */
export class FewAtATime {
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
      const now = this.#waiting.splice(0, together)
      this.#plan()
      for (const work of now) work()
    })
  }
}
