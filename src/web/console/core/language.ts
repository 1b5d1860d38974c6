import type { LanguageTag } from '../../../locales/languages.ts'
import { languageAmong, speak } from '../../browser/words.ts'

const storedUnder = 'posthorn-language'
const listeners = new Set<() => void>()

/** Speaks the language that was chosen in this browser, or that of the browser. */
export function speakChosen(): Promise<void> {
  const stored = localStorage.getItem(storedUnder)
  return speak(languageAmong([...(stored === null ? [] : [stored]), ...navigator.languages]))
}

/** Changes the language, and remembers it in this browser. */
export async function setLanguage(tag: LanguageTag): Promise<void> {
  localStorage.setItem(storedUnder, tag)
  await speak(tag)
  for (const listener of listeners) listener()
}

/** Calls `listener` when the language changes. Returns a function that ends that. */
export function whenLanguageChanges(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
