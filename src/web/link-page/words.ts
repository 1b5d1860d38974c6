import type { English } from '../../locales/index.ts'
import type { Guide } from '../../locales/network-words.ts'
import { languageAmong, sayer, speak, words } from '../browser/words.ts'

type LinkPage = English['link-page']

interface LinkPageWords extends LinkPage {
  readonly networks: Readonly<Record<string, { readonly app: string; readonly guide: Guide }>>
}

/** A failure, or something that happened meanwhile. */
export type Notice = keyof LinkPage['notices']

/** Says a phrase by its key. */
export const say = sayer<LinkPage>()

/** Speaks the language that was chosen for the page, or else that of the browser. */
export async function speakFor(chosen: string | null): Promise<void> {
  await speak(languageAmong(chosen === null ? navigator.languages : [chosen]))
  document.title = say('title')
}

/** The way through the app of a network to where it takes a code; undefined if no network has an app of this name. */
export function guideTo(app: string): Guide | undefined {
  return Object.values(words<LinkPageWords>().networks).find((network) => network.app === app)?.guide
}
