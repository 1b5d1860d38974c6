import type { Share } from '../runtime/shares/share.ts'
import type { Worker } from '../runtime/shares/turns.ts'

interface Piece {
  readonly work: () => void
  readonly reject: (error: Error) => void
}

/** Does the work of one connection in turn with that of all others, piece by piece: each takes far less than a millisecond. */
export class WorkInTurn {
  readonly #worker: Worker
  readonly #waiting: Piece[] = []
  #hasEnded = false

  constructor(share: Pick<Share, 'join'>) {
    this.#worker = share.join(() => this.#step())
  }

  /** Resolves to what the work returns, once it was its turn. Rejects if it throws, or if the connection has ended. */
  do<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) return reject(ended())
      const attempt = () => {
        try {
          resolve(work())
        } catch (error) {
          reject(error)
        }
      }
      this.#waiting.push({ work: attempt, reject })
      this.#worker.wake()
    })
  }

  /** What waits is not done any more. */
  end(): void {
    this.#hasEnded = true
    this.#worker.leave()
    for (const { reject } of this.#waiting.splice(0)) reject(ended())
  }

  #step(): boolean {
    this.#waiting.shift()?.work()
    return this.#waiting.length > 0
  }
}

function ended(): Error {
  return new Error('the connection has ended')
}
