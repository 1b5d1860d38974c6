interface Item {
  readonly id: string
}

/** Returns the id of an item of a list. */
export const idOf = ({ id }: Item) => id

/**
 * Returns true if a message belongs behind all that were read of a list, the newest first, and so is read only with those.
 */
export function isFurtherBack({ id }: Item, shown: readonly Item[], hasMore: boolean): boolean {
  return hasMore && id < (shown.at(-1)?.id ?? '')
}

/** A list, the newest first, with one more in its place. Ids ascend. */
export function inOrder<T>(shown: readonly T[], item: T, idOf: (item: T) => string): readonly T[] {
  const at = shown.findIndex((each) => idOf(each) < idOf(item))
  return shown.toSpliced(at < 0 ? shown.length : at, 0, item)
}
