import type { InvalidValue } from '../contract/problem.ts'
import { folded } from '../runtime/text/folded-text.ts'

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

const around = /^[\p{P}\p{S}\s]+|[\p{P}\p{S}\s]+$/gu
const accents = /\p{M}/gu

/** A word without the differences that do not count: case, accents, and spaces and marks around it. */
export function plainWord(text: string): string {
  return folded(text.normalize('NFD').replace(accents, '').replace(around, ''))
}

/** The faults of a request after which a word would both stop marketing and start it; none if it names no words. */
export function sharedWordFaults(before: string | null, given: GivenWords): InvalidValue[] {
  const { stop, start } = setWords(before)
  const { stop_words = stop, start_words = start } = given
  const isStart = given.start_words !== undefined
  if (!isStart && given.stop_words === undefined) return []
  const [field, other] = isStart ? ['start_words', 'stop_words'] : ['stop_words', 'start_words']
  const [words, others] = isStart ? [start_words, stop_words] : [stop_words, start_words]
  const places = new Map((others ?? []).map((word, at) => [plainWord(word), at]))
  return (words ?? []).flatMap((word, at): InvalidValue[] => {
    const place = places.get(plainWord(word))
    if (place === undefined) return []
    const detail =
      `The same word is in \`${other}\`, where it is number ${place + 1}: case, accents and marks around it do not matter. ` +
      'Leave it in one of the two.'
    return [{ pointer: `/${field}/${at}`, code: 'repeated', detail }]
  })
}

/** The text for a row after a request; words that are left out stay. */
export function wordsAfter(before: string | null, given: GivenWords): string | null {
  const { stop, start } = setWords(before)
  const { stop_words = stop, start_words = start } = given
  if (stop_words === null && start_words === null) return null
  return JSON.stringify({ stop: stop_words, start: start_words })
}
