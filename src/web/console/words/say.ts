import type { English } from '../../../locales/index.ts'
import type { DriverWords, NetworkWords } from '../../../locales/network-words.ts'
import type { ServerWords } from '../../../locales/server-words.ts'
import { sayer, words } from '../../browser/words.ts'

/** What the console has in the language of the page. What the server says itself, it has in other languages than English. */
type ConsoleWords = English['console'] & {
  readonly codes?: ServerWords
  readonly networks: Readonly<Record<string, NetworkWords['console'] & Partial<DriverWords>>>
}

/** Says a phrase by its key. */
export const say = sayer<English['console']>()

export const consoleWords = () => words<ConsoleWords>()
