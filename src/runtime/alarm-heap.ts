/** An entry that rings at a time, unless it was canceled. */
export interface HeapEntry {
  readonly at: number
  /** Undefined once it rang or was canceled. */
  ring: (() => void) | undefined
}

/**
 * A binary heap by time, so that ten thousand instances cost ten thousand small entries and no timers. Canceled entries stay
 * until their time or until they outnumber the others.
 */
export class AlarmHeap {
  #heap: HeapEntry[] = []
  #canceled = 0

  /** The time of the next entry, which may be a canceled one; infinity if there is none. */
  get next(): number {
    return this.#heap[0]?.at ?? Number.POSITIVE_INFINITY
  }

  add(entry: HeapEntry): void {
    this.#push(entry)
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
    for (let next = this.#heap[0]; next && next.at <= time; next = this.#heap[0]) {
      this.#pop()
      const { ring } = next
      next.ring = undefined
      if (ring) ring()
      else this.#canceled--
    }
  }

  clear(): void {
    this.#heap = []
    this.#canceled = 0
  }

  #sweep(): void {
    const kept = this.#heap.filter((entry) => entry.ring)
    this.clear()
    for (const entry of kept) this.#push(entry)
  }

  #push(entry: HeapEntry): void {
    const heap = this.#heap
    let index = heap.push(entry) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      const above = heap[parent] as HeapEntry
      if (above.at <= entry.at) break
      heap[index] = above
      index = parent
    }
    heap[index] = entry
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop() as HeapEntry
    if (heap.length === 0) return
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && (heap[child + 1] as HeapEntry).at < (heap[child] as HeapEntry).at)
        child++
      if ((heap[child] as HeapEntry).at >= last.at) break
      heap[index] = heap[child] as HeapEntry
      index = child
    }
    heap[index] = last
  }
}
