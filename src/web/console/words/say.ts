import type { English } from '../../../locales/index.ts'
import type { DriverWords, NetworkWords } from '../../../locales/network-words.ts'
import type { ServerWords } from '../../../locales/server-words.ts'
import { sayer, words } from '../../browser/words.ts'

/**
 * Words of the console in the language of the page. Those that translate the server's own English are in other languages
 * than English only.
 */
type ConsoleWords = English['console'] & {
  readonly codes?: ServerWords
  readonly networks: Readonly<
    Record<string, NetworkWords['console'] & Partial<DriverWords> & Pick<NetworkWords, 'link-page'>>
  >
}

/** Says a phrase by its key. */
export const say = sayer<English['console']>()

export const consoleWords = () => words<ConsoleWords>()
