import TinyQueue from 'tinyqueue'

/** An entry that rings at a time, unless it was canceled. */
export interface HeapEntry {
  readonly at: number
  /** Undefined once it rang or was canceled. */
  ring: (() => void) | undefined
}

/**
 * Entries in the order of their time, so that ten thousand instances cost ten thousand small entries and no timers. Canceled entries
 * stay until their time or until they outnumber the others.
 */
export class AlarmHeap {
  #heap = inOrder([])
  #canceled = 0

  /** The time of the next entry, which may be a canceled one; infinity if there is none. */
  get next(): number {
    return this.#heap.peek()?.at ?? Number.POSITIVE_INFINITY
  }

  add(entry: HeapEntry): void {
    this.#heap.push(entry)
  }

  /** Takes the ring of an entry away, and says whether it had one. */
  cancel(entry: HeapEntry): boolean {
    if (!entry.ring) return false
    entry.ring = undefined
    this.#canceled++
    if (this.#canceled > 64 && this.#canceled > this.#heap.length / 2) this.#sweep()
    return true
  }

  /** Rings everything up to this time, also what is added meanwhile. */
  ringUntil(time: number): void {
    for (let entry = this.#due(time); entry; entry = this.#due(time)) {
      const { ring } = entry
      entry.ring = undefined
      if (ring) ring()
      else this.#canceled--
    }
  }

  #due(time: number): HeapEntry | undefined {
    const next = this.#heap.peek()
    return next && next.at <= time ? this.#heap.pop() : undefined
  }

  clear(): void {
    this.#heap = inOrder([])
    this.#canceled = 0
  }

  #sweep(): void {
    this.#heap = inOrder(this.#heap.data.filter((entry) => entry.ring))
    this.#canceled = 0
  }
}

function inOrder(entries: HeapEntry[]): TinyQueue<HeapEntry> {
  return new TinyQueue(entries, (one, other) => one.at - other.at)
}
