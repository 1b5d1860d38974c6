import type { Translation, Words } from './translation.ts'

/** The languages of the console, in the order in which `phrases` has them. */
export const languages = [
  { tag: 'en', name: 'English' },
  { tag: 'pt-BR', name: 'Português (Brasil)' },
  { tag: 'es', name: 'Español' },
] as const
export type LanguageTag = (typeof languages)[number]['tag']

/** A phrase, or one for each plural form that its language has; `other` stands for those that are left out. */
type Phrase = string | { readonly one: string; readonly other: string }
/** The same phrase in all languages: a missing one does not compile. */
export type Entry = readonly [english: Phrase, portuguese: Phrase, spanish: Phrase]

type NamesIn<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never
type NamesOf<P extends Phrase> = P extends string
  ? NamesIn<P>
  : P extends { readonly other: infer Other extends string }
    ? NamesIn<Other> | 'count'
    : never
type Values<P extends Phrase> = [NamesOf<P>] extends [never]
  ? []
  : [values: { readonly [Name in NamesOf<P>]: string | number }]

const storedUnder = 'posthorn-language'
let current: number = chosenLanguage()
const listeners = new Set<() => void>()

/** The tag of the current language, for `lang` and for the formats of `Intl`. */
export function language(): LanguageTag {
  return languages[current]?.tag ?? 'en'
}

/** Changes the language, and remembers it in this browser. */
export function setLanguage(tag: LanguageTag): void {
  current = languages.findIndex((each) => each.tag === tag)
  localStorage.setItem(storedUnder, tag)
  document.documentElement.lang = tag
  for (const listener of listeners) listener()
}

/** Calls `listener` when the language changes. Returns what ends that. */
export function whenLanguageChanges(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * A table of phrases in all languages, as the function that says them. `{name}` in a phrase is replaced; `{count}` chooses the
 * plural form and is formatted as a number.
 */
export function phrases<const T extends Readonly<Record<string, Entry>>>(table: T) {
  return <K extends keyof T & string>(key: K, ...[values]: Values<T[K][0]>): string => {
    const phrase = table[key]?.[current] ?? key
    const given = (values ?? {}) as Readonly<Record<string, string | number>>
    const text = typeof phrase === 'string' ? phrase : phrase[formFor(Number(given.count))]
    return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => shown(given[name]))
  }
}

/** What a table has for a code of the contract, in the current language. */
export function inLanguage(words: Words): string {
  return words[current] ?? words[0]
}

/** The row of a table in the current language; undefined if that is English, or if the table does not know the code. */
export function translation(table: Readonly<Record<string, Translation>>, code: string): string | undefined {
  return Object.hasOwn(table, code) ? table[code]?.[current - 1] : undefined
}

/** A number in the current language. */
export function number(value: number): string {
  return new Intl.NumberFormat(language()).format(value)
}

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** A number of bytes in the current language. */
export function bytes(value: number): string {
  const step = value < 1 ? 0 : Math.min(Math.floor(Math.log10(value) / 3), byteUnits.length - 1)
  return new Intl.NumberFormat(language(), {
    style: 'unit',
    unit: byteUnits[step] ?? 'byte',
    // In English, only the long form has a plural: “11 byte” is the short one.
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  }).format(value / 1000 ** step)
}

function shown(value: string | number | undefined): string {
  return typeof value === 'number' ? number(value) : (value ?? '')
}

function formFor(count: number): 'one' | 'other' {
  return new Intl.PluralRules(language()).select(count) === 'one' ? 'one' : 'other'
}

function chosenLanguage(): number {
  const wanted = [localStorage.getItem(storedUnder) ?? '', ...navigator.languages]
  for (const tag of wanted) {
    const found = languages.findIndex((each) => tag !== '' && each.tag.slice(0, 2) === tag.slice(0, 2))
    if (found >= 0) return found
  }
  return 0
}
