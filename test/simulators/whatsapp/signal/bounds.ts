/** Removes what was added first while there are more than `most`. */
export function dropOldest(entries: Map<unknown, unknown> | Set<unknown>, most: number): void {
  for (const key of entries.keys()) {
    if (entries.size <= most) return
    entries.delete(key)
  }
}
