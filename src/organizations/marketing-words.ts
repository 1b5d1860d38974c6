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
/** Accents, and characters that are not seen, such as those that keyboards and apps write for the direction of a text (UAX 44). */
const unseen = /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/**
 * A word without the differences that do not count: case, accents, the width and form of letters (UAX 15, NFKD), characters that are not
 * seen, and spaces and marks around it.
 */
export function plainWord(text: string): string {
  return folded(text.normalize('NFKD').replace(unseen, '').replace(around, ''))
}

/**
 * The faults of a request after which a word would both stop marketing and start it; none if it names no words. `inherited` are the words
 * of the organization, which an instance has in the place of a list that it does not have itself.
 */
export function sharedWordFaults(
  before: string | null,
  given: GivenWords,
  inherited: string | null = null,
): InvalidValue[] {
  const { stop, start } = setWords(before)
  const { stop_words = stop, start_words = start } = given
  const own = { stop_words, start_words }
  // Two inherited lists are the operator's.
  if (own.stop_words === null && own.start_words === null) return []
  const field = faultyField(given)
  if (!field) return []
  const other = field === 'stop_words' ? 'start_words' : 'stop_words'
  const defaults = renderWords(inherited)
  const places = new Map((own[other] ?? defaults[other] ?? []).map((word, at) => [plainWord(word), at]))
  const shared = (own[field] ?? defaults[field] ?? []).flatMap((word, at) => {
    const place = places.get(plainWord(word))
    return place === undefined ? [] : [{ at, place: place + 1 }]
  })
  if (own[field] === null) return shared.slice(0, 1).map(({ place }) => inheritsShared(field, other, place))
  const detail = (place: number) =>
    own[other] === null ? sharedWithInherited(other) : sharedWith(other, place)
  return shared.map(({ at, place }) => ({
    pointer: `/${field}/${at}`,
    code: 'repeated',
    detail: detail(place),
  }))
}

type Field = keyof WordsOfRow

/** The field of a request at which a word that is in both lists is told; undefined if it names no words. */
function faultyField({ stop_words, start_words }: GivenWords): Field | undefined {
  if (start_words) return 'start_words'
  if (stop_words) return 'stop_words'
  if (start_words === null) return 'start_words'
  return stop_words === null ? 'stop_words' : undefined
}

const alike = 'case, accents, invisible characters, the width of letters and marks around it do not matter.'

const sharedWith = (other: Field, place: number) =>
  `The same word is in \`${other}\`, where it is number ${place}: ${alike} Leave it in one of the two.`

const sharedWithInherited = (other: Field) =>
  `The same word is in \`${other}\` of the organization, which count here because the instance has none of its own: ${alike} Leave it ` +
  `out, or give the instance \`${other}\` of its own.`

const inheritsShared = (field: Field, other: Field, place: number): InvalidValue => ({
  pointer: `/${field}`,
  code: 'repeated',
  detail:
    `\`${field}\` of the organization, which null stands for, have a word that is number ${place} in \`${other}\`: ${alike} Take it out ` +
    `there, or give the instance \`${field}\` of its own.`,
})

/** The text for a row after a request; words that are left out stay. */
export function wordsAfter(before: string | null, given: GivenWords): string | null {
  const { stop, start } = setWords(before)
  const { stop_words = stop, start_words = start } = given
  if (stop_words === null && start_words === null) return null
  return JSON.stringify({ stop: stop_words, start: start_words })
}
