import type { Share } from '../../runtime/limits/share.ts'
import type { Worker } from '../../runtime/limits/turns.ts'

interface Piece {
  /** Does a step of the work; returns true if there is more. */
  readonly work: () => boolean
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
    return this.until(() => ({ done: work() })).then(({ done }) => done)
  }

  /** Works step by step until one returns something. Rejects if one throws, or if the connection has ended. */
  until<T extends NonNullable<unknown>>(step: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) return reject(ended())
      const attempt = () => {
        try {
          const result = step()
          if (result === undefined) return true
          resolve(result)
        } catch (error) {
          reject(error)
        }
        return false
      }
      this.#waiting.push({ work: attempt, reject })
      this.#worker.wake()
    })
  }

  /** Ends the work: pieces that wait are rejected. */
  end(): void {
    this.#hasEnded = true
    this.#worker.leave()
    for (const { reject } of this.#waiting.splice(0)) reject(ended())
  }

  #step(): boolean {
    const [piece] = this.#waiting
    if (piece && !piece.work() && piece === this.#waiting[0]) this.#waiting.shift()
    return this.#waiting.length > 0
  }
}

function ended(): Error {
  return new Error('the connection has ended')
}
