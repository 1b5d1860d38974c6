/** How much of a text that somebody wrote is taken, in UTF-16 units; networks bound what they carry, most of them lower. */
export const longestReceivedText = 65_536

/** How much of it is kept, in bytes of UTF-8. */
export const longestReceivedBytes = 64 * 1024

/** How much of a subject is taken, in UTF-16 units. */
export const longestReceivedSubject = 1024

/** The beginning of a text: at most so many UTF-16 units, and no half of a character. */
export function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text
  const cut = text.slice(0, longest)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}

/**
 * The same in memory of its own: what is cut out of a text holds all of that text, for as long as it waits somewhere.
 */
export function ownCopy<T extends object>(observed: T): T {
  return JSON.parse(JSON.stringify(observed))
}
