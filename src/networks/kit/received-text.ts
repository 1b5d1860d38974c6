/** How much of a received text is accepted, in UTF-16 units; most networks have a lower limit. */
export const longestReceivedText = 65_536

/** How much of it is stored, in bytes of UTF-8. */
export const longestReceivedBytes = 64 * 1024

/** How much of a subject is accepted, in UTF-16 units. */
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
