type Change<T> = (known: T) => T

/** Changes that are kept for one response. If it takes so long that there are more, it has the oldest of them already. */
const maxKept = 1_000

/** Changes that happened during a request: its response may not have them yet. */
export class Meanwhile<T> {
  #changes: Change<T>[] | undefined

  /** The server is being asked: from now on changes are kept. */
  begin(): void {
    this.#changes = []
  }

  add(change: Change<T>): void {
    if (this.#changes && this.#changes.push(change) > maxKept) this.#changes.shift()
  }

  /** Keeps no more, and returns a function that adds the changes that were kept to a response. */
  end(): Change<T> {
    const changes = this.#changes ?? []
    this.#changes = undefined
    return (answer) => changes.reduce((known, change) => change(known), answer)
  }
}
