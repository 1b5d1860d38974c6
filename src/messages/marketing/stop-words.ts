import type { MarketingSource } from '../../contract/statuses.ts'
import { folded } from '../list/folded-text.ts'

/** Words by which people stop marketing, and start it again. */
export interface MarketingWords {
  readonly stop: readonly string[]
  readonly start: readonly string[]
}

/** The same as instances show them; null for none. */
export type OwnMarketingWords = { readonly [Which in keyof MarketingWords]: readonly string[] | null }

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

const none: OwnMarketingWords = { stop: null, start: null }

/** The words in the row of an instance. */
export function ownWords(text: string | null): OwnMarketingWords {
  return text === null ? none : JSON.parse(text)
}

/** The words of a request, as instances show them. */
interface GivenWords {
  readonly stop_words?: readonly string[] | null
  readonly start_words?: readonly string[] | null
}

/** The text for the row of an instance after a request; words that are left out stay. */
export function wordsAfter(before: string | null, given: GivenWords): string | null {
  const { stop, start } = ownWords(before)
  const { stop_words = stop, start_words = start } = given
  if (stop_words === null && start_words === null) return null
  return JSON.stringify({ stop: stop_words, start: start_words })
}

/** The words that apply to an instance, by what its row says. */
export function wordsFor(own: string | null): MarketingWords {
  const { stop, start } = ownWords(own)
  return { stop: stop ?? [], start: start ?? [] }
}
