/**
 * Lets requests wait for something to change, by its id. What others change may not be announced here, so a waiter
 * also continues after its timeout, and rereads the store either way: the store is the truth, this only saves polling.
 */
export class Changes {
  readonly #waiters = new Map<string, Set<() => void>>()
  readonly #listeners = new Map<string, Set<() => void>>()
  readonly #pass: ((id: string) => void) | undefined

  /** `pass` is called with what this process announces, to pass it on to others. */
  constructor(pass?: (id: string) => void) {
    this.#pass = pass
  }

  /** Calls `heard` at once whenever a change is announced, until the returned function is called. It must not throw. */
  listen(id: string, heard: () => void): () => void {
    const listeners = this.#listeners.get(id) ?? new Set()
    this.#listeners.set(id, listeners)
    listeners.add(heard)
    return () => {
      listeners.delete(heard)
      if (listeners.size === 0 && this.#listeners.get(id) === listeners) this.#listeners.delete(id)
    }
  }

  /** Resolves when a change is announced, after `ms` milliseconds, or when `signal` aborts. */
  next(id: string, ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(id) ?? new Set()
      this.#waiters.set(id, waiters)
      const end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        waiters.delete(end)
        if (waiters.size === 0 && this.#waiters.get(id) === waiters) this.#waiters.delete(id)
        resolve()
      }
      const timer = setTimeout(end, ms)
      signal.addEventListener('abort', end)
      waiters.add(end)
      if (signal.aborted) end()
    })
  }

  /** Tells everybody who listens to it, and wakes everybody who waits for it. */
  notify(id: string): void {
    this.hear(id)
    this.#pass?.(id)
  }

  /** The same for what others have announced. */
  hear(id: string): void {
    const listeners = this.#listeners.get(id)
    if (listeners) for (const heard of [...listeners]) heard()
    const waiters = this.#waiters.get(id)
    if (waiters) for (const end of [...waiters]) end()
  }

  /** The ids for whose change something waits. */
  get awaited(): string[] {
    return [...this.#waiters.keys()]
  }

  /** Wakes everybody who waits: something may have changed that nothing here announced. */
  wakeAll(): void {
    for (const waiters of this.#waiters.values()) for (const end of [...waiters]) end()
  }

  /**
   * Reads until the result satisfies `enough`, or until the time is over, and returns the last result. With no time to wait,
   * it reads once.
   */
  async until<T>(
    id: string,
    wait: { readonly ms: number; readonly signal: AbortSignal },
    read: () => Promise<T>,
    enough: (reading: T) => boolean,
  ): Promise<T> {
    const deadline = performance.now() + wait.ms
    for (;;) {
      const left = deadline - performance.now()
      // The wait begins before the reading, so that a change in between is not missed.
      const given = new AbortController()
      const change = left > 0 ? this.next(id, left, AbortSignal.any([wait.signal, given.signal])) : undefined
      try {
        const reading = await read()
        if (!change || enough(reading) || wait.signal.aborted) return reading
        await change
      } finally {
        given.abort()
      }
    }
  }
}
