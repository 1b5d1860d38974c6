/** The languages that Posthorn speaks to people. English is the source, and stands in when the others are not wanted. */
export const languages = [
  { tag: 'en', name: 'English' },
  { tag: 'pt-BR', name: 'Português (Brasil)' },
  { tag: 'es', name: 'Español' },
] as const
export type LanguageTag = (typeof languages)[number]['tag']

/** Returns what a language calls itself. */
export function languageName(tag: LanguageTag): string {
  return languages.find((each) => each.tag === tag)?.name ?? tag
}
