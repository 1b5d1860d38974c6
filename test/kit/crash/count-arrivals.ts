/** A message that the far end saw, in the order of arrival. */
export interface Seen {
  readonly id: string
  readonly text: string
}

export interface Count {
  /** Acknowledged texts that never arrived. */
  readonly lost: string[]
  /** Texts that arrived under two ids: for the recipient, two messages. */
  readonly doubled: string[]
  /** Texts that arrived under another id than the one that was acknowledged. */
  readonly renamed: string[]
  /** Texts that arrived before one that was sent earlier on the same line. */
  readonly overtaking: string[]
  /** Arrivals that repeat an earlier one with its id. */
  readonly repeats: number
}

/**
 * Counts what arrived against what was acknowledged. Texts are `line number`; on each line the first arrivals must come in
 * the order of their numbers. Knows nothing of the server.
 */
export function countArrivals(
  acknowledged: readonly { readonly text: string; readonly networkMessageId: string }[],
  seen: readonly Seen[],
): Count {
  const ids = new Map<string, Set<string>>()
  const newest = new Map<string, number>()
  const overtaking: string[] = []
  for (const { id, text } of seen) {
    const known = ids.get(text)
    if (known) {
      known.add(id)
      continue
    }
    ids.set(text, new Set([id]))
    const line = text.slice(0, text.lastIndexOf(' '))
    const number = Number(text.slice(text.lastIndexOf(' ') + 1))
    if (number < (newest.get(line) ?? 0)) overtaking.push(text)
    else newest.set(line, number)
  }
  return {
    lost: acknowledged.filter(({ text }) => !ids.has(text)).map(({ text }) => text),
    doubled: [...ids].filter(([, all]) => all.size > 1).map(([text]) => text),
    renamed: acknowledged
      .filter(({ text, networkMessageId }) => ids.has(text) && !ids.get(text)?.has(networkMessageId))
      .map(({ text }) => text),
    overtaking,
    repeats: seen.length - ids.size,
  }
}
