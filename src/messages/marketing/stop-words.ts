import type { MarketingSource } from '../../contract/statuses.ts'
import { type MarketingWords, setWords } from '../../organizations/marketing-words.ts'
import { folded } from '../list/folded-text.ts'

/** The longest text that is compared, in UTF-16 units: a word with what people write around it. */
const longestCompared = 200

const around = /^[\p{P}\p{S}\s]+|[\p{P}\p{S}\s]+$/gu
const accents = /\p{M}/gu

/** A word without the differences that do not count: case, accents, and spaces and marks around it. */
function plain(text: string): string {
  return folded(text.normalize('NFD').replace(accents, '').replace(around, ''))
}

/** Says if a whole text is one of the words; a word that is in both lists stops. */
export function marketingWordIn(text: string, { stop, start }: MarketingWords): MarketingSource | null {
  if (stop.length + start.length === 0 || text.length > longestCompared) return null
  const word = plain(text)
  if (word === '') return null
  if (stop.some((one) => plain(one) === word)) return 'stop_word'
  return start.some((one) => plain(one) === word) ? 'start_word' : null
}

/** The words that apply to an instance, by what its row says, and that of its organization. */
export function wordsFor(own: string | null, inherited: string | null): MarketingWords {
  const { stop, start } = setWords(own)
  const defaults = setWords(inherited)
  return { stop: stop ?? defaults.stop ?? [], start: start ?? defaults.start ?? [] }
}
