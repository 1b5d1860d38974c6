import type { ClientEvent } from '../../../src/contract/client/client.ts'

const timeout = 30_000

/** Follows an event stream, and remembers everything that it showed. */
export abstract class Listener<T> {
  readonly seen: T[] = []
  /** Resolves when the stream has ended; never rejects because it broke. */
  readonly ended: Promise<void>
  readonly #leave = new AbortController()
  readonly #waiting = new Set<() => void>()

  constructor(open: (signal: AbortSignal) => AsyncIterable<ClientEvent>) {
    this.ended = this.#listen(open)
  }

  /** Takes down what came. */
  protected abstract take(event: ClientEvent): void

  /** The first that fits of what was shown, from now on or before. */
  async until(what: string, fits: (now: T) => boolean): Promise<T> {
    const end = performance.now() + timeout
    for (;;) {
      const found = this.seen.find(fits)
      if (found) return found
      if (performance.now() > end)
        throw new Error(
          `never shown: ${what}; the last of ${this.seen.length} was ${JSON.stringify(this.seen.at(-1))}`,
        )
      await this.#more(end - performance.now())
    }
  }

  leave(): void {
    this.#leave.abort()
  }

  #more(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        this.#waiting.delete(end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      this.#waiting.add(end)
    })
  }

  async #listen(open: (signal: AbortSignal) => AsyncIterable<ClientEvent>): Promise<void> {
    try {
      for await (const event of open(this.#leave.signal)) {
        this.take(event)
        this.#wake()
      }
    } catch (error) {
      if (!this.#leave.signal.aborted && !(error instanceof TypeError)) throw error
    } finally {
      this.#wake()
    }
  }

  #wake(): void {
    for (const end of [...this.#waiting]) end()
  }
}
