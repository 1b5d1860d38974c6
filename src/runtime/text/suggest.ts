import leven from 'leven'

/**
 * Characters of the longest word that is compared: a longer one is hardly mistyped, and comparing it would take the time of
 * other callers.
 */
const longestWord = 100

/**
 * Returns the candidate that was probably meant by `word`; undefined if none is near. Capital letters make no difference,
 * nor do `-` and `_`.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > longestWord) return undefined
  const plain = plainOf(word)
  // In a short word one letter is much: half of another word is no likely meaning.
  const most = Math.ceil(plain.length / 4)
  const near = candidates
    .map((candidate) => ({ candidate, mistakes: mistakesIn(plain, plainOf(candidate), most) }))
    .filter(({ mistakes }) => mistakes <= most)
  return near.toSorted((one, other) => one.mistakes - other.mistakes)[0]?.candidate
}

/**
 * Counts the letters that are wrong, missing or too many, up to more than `most`. Two neighbours that changed places are one
 * mistake.
 */
function mistakesIn(word: string, meant: string, most: number): number {
  if (Math.abs(word.length - meant.length) > most) return most + 1
  const limit = { maxDistance: most + 1 }
  const swapped = Array.from(word.slice(1), (letter, at) => {
    const other = `${word.slice(0, at)}${letter}${word.charAt(at)}${word.slice(at + 2)}`
    return 1 + leven(other, meant, limit)
  })
  return Math.min(leven(word, meant, limit), ...swapped)
}

function plainOf(word: string): string {
  return word.toLowerCase().replace(/[-_]/g, '')
}
