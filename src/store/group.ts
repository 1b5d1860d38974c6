/** One call that waits for its answer. */
export interface PendingCall {
  readonly name: string
  readonly args: unknown
  resolve(value: unknown): void
  reject(error: Error): void
}

/**
 * Collects the calls of one moment into groups, so that they share a commit. One group is under way at a time; calls that
 * come meanwhile form the next, so that groups grow with the load and a lone call waits for nobody.
 */
export class Grouping {
  readonly #perform: (group: PendingCall[]) => Promise<void>
  readonly #largest: number
  #waiting: PendingCall[] = []
  #running = false
  #refusal: Error | undefined
  readonly #idle: (() => void)[] = []

  /**
   * `perform` settles every call of the group that it is given; if it throws, the calls that are left are rejected with that
   * error.
   */
  constructor(perform: (group: PendingCall[]) => Promise<void>, largest = 512) {
    this.#perform = perform
    this.#largest = largest
  }

  call<R>(name: string, args: unknown): Promise<R> {
    if (this.#refusal) return Promise.reject(this.#refusal)
    return new Promise<R>((resolve, reject) => {
      this.#waiting.push({ name, args, resolve: resolve as (value: unknown) => void, reject })
      this.#start()
    })
  }

  /** Rejects every call with `refusal` from now on; resolves when every earlier call has its answer. */
  close(refusal: Error): Promise<void> {
    this.#refusal ??= refusal
    if (!this.#running) return Promise.resolve()
    return new Promise((resolve) => this.#idle.push(resolve))
  }

  /** Rejects the calls that wait for their group, so that nobody waits for a known failure. */
  abandon(error: Error): void {
    for (const call of this.#waiting.splice(0)) call.reject(error)
  }

  /** The first group is formed at the end of the event-loop turn, when every request that arrived with it has been seen. */
  #start(): void {
    if (this.#running) return
    this.#running = true
    setImmediate(() => this.#run())
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, this.#largest)
      try {
        await this.#perform(group)
      } catch (error) {
        for (const call of group) call.reject(error as Error)
      }
    }
    this.#running = false
    for (const resolve of this.#idle.splice(0)) resolve()
  }
}
