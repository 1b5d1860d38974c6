/** One call that waits for its answer. */
export interface PendingCall {
  readonly name: string
  readonly args: unknown
  resolve(value: unknown): void
  reject(error: Error): void
}

/**
 * Collects the calls of one moment into groups, so that they share a commit. One group is under way at a time; what is
 * called meanwhile forms the next, so that groups grow with the load and a lone call waits for nobody.
 */
export class Grouping {
  readonly #perform: (group: PendingCall[]) => Promise<void>
  readonly #largest: number
  #waiting: PendingCall[] = []
  #underway = 0
  #scheduled = false

  /** `perform` settles every call of the group that it is given. */
  constructor(perform: (group: PendingCall[]) => Promise<void>, largest = 512) {
    this.#perform = perform
    this.#largest = largest
  }

  call<R>(name: string, args: unknown): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      this.#waiting.push({ name, args, resolve: resolve as (value: unknown) => void, reject })
      this.#schedule()
    })
  }

  /** Resolves when nothing waits and nothing is under way. */
  async idle(): Promise<void> {
    while (this.#waiting.length > 0 || this.#underway > 0)
      await new Promise((resolve) => setImmediate(resolve))
  }

  /** The group is formed at the end of the event-loop turn, when every request that arrived with it has been seen. */
  #schedule(): void {
    if (this.#scheduled || this.#underway > 0) return
    this.#scheduled = true
    setImmediate(() => this.#next())
  }

  #next(): void {
    this.#scheduled = false
    if (this.#underway > 0 || this.#waiting.length === 0) return
    const group = this.#waiting.splice(0, this.#largest)
    this.#underway++
    this.#perform(group).finally(() => {
      this.#underway--
      this.#next()
    })
  }
}
