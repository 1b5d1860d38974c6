/** UTF-16 units of a received text that are accepted; most networks have a lower limit. */
export const longestReceivedText = 65_536

/** Bytes of a received text that are stored, in UTF-8. */
export const longestReceivedBytes = 64 * 1024

/** UTF-16 units of a subject that are accepted. */
export const longestReceivedSubject = 1024

/** The beginning of a text: at most so many UTF-16 units, never half a character. */
export function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text
  const cut = text.slice(0, longest)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}

/**
 * The same as a copy: in V8, a slice of a text keeps the whole text in memory.
 */
export function ownCopy<T extends object>(observed: T): T {
  return JSON.parse(JSON.stringify(observed))
}
