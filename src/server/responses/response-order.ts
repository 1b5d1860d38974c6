import type { ServerResponse } from 'node:http'

/** Responses of one party that may wait for those before them. */
const maxWaiting = 1_000

/**
 * Lets the responses of a connection take their room in the order in which they are sent. If later ones came first and took all of it,
 * the first would wait for them, and they for the first.
 */
export class ResponseOrder {
  readonly #joined = new WeakSet<ServerResponse>()
  readonly #waiting = new Map<string, number>()

  /**
   * Resolves with true when the response before this one has joined the line for room or was sent, and at once with false if too
   * many responses of the party wait like this. Resolves when the caller is gone, too.
   */
  async waitFor(
    before: ServerResponse | undefined,
    response: ServerResponse,
    party: string,
  ): Promise<boolean> {
    if (before === undefined || this.#joined.has(before)) return true
    const waiting = this.#waiting.get(party) ?? 0
    if (waiting >= maxWaiting) return false
    this.#waiting.set(party, waiting + 1)
    await new Promise<void>((resolve) => {
      before.once('joined', resolve).once('responded', resolve)
      response.once('responded', resolve)
    })
    this.#leave(party)
    return true
  }

  /** Records that the response has joined the queue for room. */
  joined(response: ServerResponse): void {
    this.#joined.add(response)
    response.emit('joined')
  }

  #leave(party: string): void {
    const left = (this.#waiting.get(party) ?? 1) - 1
    if (left > 0) this.#waiting.set(party, left)
    else this.#waiting.delete(party)
  }
}
