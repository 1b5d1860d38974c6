import type { MarketingSource } from '../../contract/statuses.ts'
import { type MarketingWords, plainWord, setWords } from '../../organizations/marketing-words.ts'

/** The longest text that is compared, in UTF-16 units: a word with what people write around it. */
const longestCompared = 200

/** Says if a whole text is one of the words; a word that is in both lists stops. */
export function marketingWordIn(text: string, { stop, start }: MarketingWords): MarketingSource | null {
  if (stop.length + start.length === 0 || text.length > longestCompared) return null
  const word = plainWord(text)
  if (word === '') return null
  if (stop.some((one) => plainWord(one) === word)) return 'stop_word'
  return start.some((one) => plainWord(one) === word) ? 'start_word' : null
}

/** The words that apply to an instance, by what its row says, and that of its organization. */
export function wordsFor(own: string | null, inherited: string | null): MarketingWords {
  const { stop, start } = setWords(own)
  const defaults = setWords(inherited)
  return { stop: stop ?? defaults.stop ?? [], start: start ?? defaults.start ?? [] }
}
