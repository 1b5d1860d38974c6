import { type LanguageTag, languages } from '../../locales/languages.ts'
import type { KeyOf, Phrase, PhraseAt, PlaceholdersOf } from '../../locales/phrase.ts'
import { format, type Values } from './format.ts'

let spoken: LanguageTag = 'en'
let table: object | undefined
/** Counts the changes of language, so that one that loads slowly does not undo a later one. */
let changes = 0

/** The language of the page, for `lang` and for the formats of `Intl`. */
export function language(): LanguageTag {
  return spoken
}

/** Returns the first of the wanted languages that Posthorn speaks, in any country; else English. */
export function languageAmong(wanted: readonly string[]): LanguageTag {
  const known = (tag: string) =>
    languages.find((each) => each.tag.slice(0, 2) === tag.slice(0, 2).toLowerCase())
  return wanted.map(known).find((each) => each !== undefined)?.tag ?? 'en'
}

/** Loads the words of a language, and speaks it from then on. */
export async function speak(tag: LanguageTag): Promise<void> {
  const change = ++changes
  if (table && tag === spoken) return
  const loaded = await load(tag)
  if (change !== changes) return
  table = loaded
  spoken = tag
  document.documentElement.lang = tag
}

/** Returns the file that the server prepared for this page: its words in one language. */
export function words<Page extends object>(): Page {
  return (table ?? {}) as Page
}

/** The function that says the phrases of a page by their keys. */
export function sayer<Page>() {
  return <Key extends KeyOf<Page>>(key: Key, ...[values]: ValuesOf<PhraseAt<Page, Key>>): string => {
    const phrase = key.split('.').reduce<unknown>((part, name) => (part as Values | undefined)?.[name], table)
    // A server that is newer than the page has values that the page does not know.
    return format((phrase as Phrase | undefined) ?? key.slice(key.lastIndexOf('.') + 1), values ?? {}, spoken)
  }
}

type ValuesOf<P> = [PlaceholdersOf<P>] extends [never]
  ? []
  : [values: { readonly [Name in PlaceholdersOf<P>]: string | number }]

const loadPause = 1_000

/** Asks for the words of a language until they come: without them, a page can say nothing, not even that. */
async function load(tag: LanguageTag): Promise<object> {
  for (;;) {
    try {
      const response = await fetch(new URL(`../../words/${tag}.json`, import.meta.url))
      if (response.ok) return (await response.json()) as object
    } catch {
      // The server is out of reach.
    }
    await new Promise((resolve) => setTimeout(resolve, loadPause))
  }
}
