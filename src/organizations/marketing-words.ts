/** Words by which people stop marketing, and start it again. */
export interface MarketingWords {
  readonly stop: readonly string[]
  readonly start: readonly string[]
}

/** The same as an instance or an organization has them; null for none of its own. */
export type SetMarketingWords = { readonly [Which in keyof MarketingWords]: readonly string[] | null }

const none: SetMarketingWords = { stop: null, start: null }

/** The words in the row of an instance or an organization. */
export function setWords(text: string | null): SetMarketingWords {
  return text === null ? none : JSON.parse(text)
}

/** The words as callers see them. */
interface WordsOfRow {
  readonly stop_words: string[] | null
  readonly start_words: string[] | null
}

/** The words in a row as callers see them. */
export function renderWords(text: string | null): WordsOfRow {
  const { stop, start } = setWords(text)
  return { stop_words: stop && [...stop], start_words: start && [...start] }
}

/** The words of a request, as callers see them. */
interface GivenWords {
  readonly stop_words?: readonly string[] | null
  readonly start_words?: readonly string[] | null
}

/** The text for a row after a request; words that are left out stay. */
export function wordsAfter(before: string | null, given: GivenWords): string | null {
  const { stop, start } = setWords(before)
  const { stop_words = stop, start_words = start } = given
  if (stop_words === null && start_words === null) return null
  return JSON.stringify({ stop: stop_words, start: start_words })
}
