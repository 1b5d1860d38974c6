/** A page of a list. */
export interface Page<T> {
  readonly data: T[]
  /** The `cursor` of the next page; null on the last one. A page may be short, or empty, and not be the last. */
  readonly next_cursor: string | null
}

/** A list: `for await` goes through all of its entries, and asks for a page when it comes to it. */
export class Pages<T> implements AsyncIterable<T> {
  readonly #read: (cursor: string | undefined) => Promise<Page<T>>

  /** `read` returns the page at a cursor, or the first one. */
  constructor(read: (cursor: string | undefined) => Promise<Page<T>>) {
    this.#read = read
  }

  /** Returns a single page: the first, or the one at the `cursor` of the query. */
  page(): Promise<Page<T>> {
    return this.#read(undefined)
  }

  /** Returns at most `max` entries at once. */
  async toArray(max = Number.POSITIVE_INFINITY): Promise<T[]> {
    const entries: T[] = []
    if (max <= 0) return entries
    for await (const entry of this) {
      entries.push(entry)
      if (entries.length >= max) break
    }
    return entries
  }

  async *pages(): AsyncGenerator<Page<T>, void> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await this.#read(cursor)
      yield page
      cursor = page.next_cursor
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for await (const { data } of this.pages()) yield* data
  }
}
