/** A page of a list, as operations return it. */
interface Page<T> {
  readonly body: { readonly data: readonly T[]; readonly next_cursor: string | null }
}

/**
 * Reads the pages of a list until it ends, or until there are as many entries as are wanted. A page may be short, or empty, although more
 * follow. `read` gets the place of a page, and how many entries were read before.
 */
export async function everyPage<T>(
  read: (place: { readonly cursor?: string }, before: number) => Promise<Page<T>>,
  wanted = Number.POSITIVE_INFINITY,
): Promise<{ readonly all: T[]; readonly isMore: boolean }> {
  const all: T[] = []
  let cursor: string | null | undefined
  while (cursor !== null && all.length < wanted) {
    const { data, next_cursor } = (await read(cursor === undefined ? {} : { cursor }, all.length)).body
    for (const entry of data) all.push(entry)
    cursor = next_cursor
  }
  return { all, isMore: cursor !== null }
}
