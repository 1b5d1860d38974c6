interface Waiter {
  readonly isTrue: () => boolean
  readonly done: () => void
}

/** Lets callers wait for a condition, which is looked at again whenever something has happened. */
export class Waiting {
  readonly #waiters = new Set<Waiter>()
  #isPlanned = false

  /** Resolves as soon as the condition is true. */
  until(isTrue: () => boolean): Promise<void> {
    if (isTrue()) return Promise.resolve()
    return new Promise((done) => this.#waiters.add({ isTrue, done }))
  }

  /** Something has happened. Many calls in one turn cost one look. */
  look = (): void => {
    if (this.#isPlanned || this.#waiters.size === 0) return
    this.#isPlanned = true
    setImmediate(() => {
      this.#isPlanned = false
      for (const waiter of this.#waiters) {
        if (!waiter.isTrue()) continue
        this.#waiters.delete(waiter)
        waiter.done()
      }
    })
  }
}
