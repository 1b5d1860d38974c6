import type { IconName } from '../../parts/icon.ts'

/** An offer of the palette: a place to go to, or an act. */
export interface Entry {
  /** Its name among all others, also in the memory of the browser. */
  readonly id: string
  readonly icon: IconName
  readonly text: string
  /** Tells entries of one text apart, such as the instance of a person. */
  readonly note?: string
  /** Other words by which it is found. */
  readonly alias?: string
  /** The place that it leads to. */
  readonly link?: string
  readonly act?: () => unknown
  /** True if it changes something for others: it is not done before the person has seen it. */
  readonly isOrder?: true
  /** True if the browser may remember that it was used: it names no person, and ends or changes nothing. */
  readonly isKept?: true
}

/** Entries under a title; those without one stand alone. */
export interface EntryGroup {
  readonly title?: string
  readonly entries: readonly Entry[]
}

/** Returns true if an entry has each of the typed words, in any order; case and accents do not matter. */
export function fits({ text, note = '', alias = '' }: Entry, typed: string): boolean {
  const own = plain(`${text} ${note} ${alias}`)
  return wordsOf(typed).every((word) => own.includes(word))
}

/** The words of a text, without case and accents. */
export function wordsOf(text: string): readonly string[] {
  return plain(text).split(/\s+/).filter(Boolean)
}

function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
}
