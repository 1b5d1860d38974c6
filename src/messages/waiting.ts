/**
 * Lets requests wait for a message to leave the queue. Only what happens on this node is told here, so a waiter also
 * gives up after its time, and reads the message anew either way.
 */
export class Waiting {
  readonly #waiters = new Map<string, Set<() => void>>()

  /** Resolves when the message is told to have changed, when `ms` milliseconds are over, or when `signal` aborts. */
  forChange(messageId: string, ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(messageId) ?? new Set()
      this.#waiters.set(messageId, waiters)
      const end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        waiters.delete(end)
        if (waiters.size === 0) this.#waiters.delete(messageId)
        resolve()
      }
      const timer = setTimeout(end, ms)
      signal.addEventListener('abort', end)
      waiters.add(end)
      if (signal.aborted) end()
    })
  }

  /** Wakes those who wait for this message. */
  changed(messageId: string): void {
    const waiters = this.#waiters.get(messageId)
    if (waiters) for (const end of [...waiters]) end()
  }
}
