import { closestMatch } from 'leven'

/** Nobody mistypes a longer word, and comparing it would take the time of others. */
const longestWord = 100

/**
 * The candidate that somebody who wrote `word` may have meant; undefined if none is near. Capital letters make no difference, nor
 * do `-` and `_`.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > longestWord) return undefined
  const plain = plainOf(word)
  const byPlain = new Map(candidates.map((candidate) => [plainOf(candidate), candidate]))
  // In a short word one letter is much: half of another word is no likely meaning.
  const maxDistance = Math.ceil(plain.length / 4)
  const match = closestMatch(plain, [...byPlain.keys()], { maxDistance })
  return match === undefined ? undefined : byPlain.get(match)
}

function plainOf(word: string): string {
  return word.toLowerCase().replace(/[-_]/g, '')
}
