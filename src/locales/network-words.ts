import type { Translated } from './phrase.ts'

type Table = Readonly<Record<string, string>>

/** Words of a network for people: `words/TAG.ts` in its folder, for each language. */
export interface NetworkWords {
  readonly console: {
    /** The name of the network, what it is, in one line, and the risk of using it, if it has one of its own. */
    readonly card: { readonly name: string; readonly what: string; readonly caution?: string }
    /** Names of its settings and credentials. */
    readonly labels: Table
  }
  readonly 'link-page'?: {
    /** The name of its app. */
    readonly app: string
    /** The way through its app to where it takes a code. Names of menus stand between asterisks, as the app has them. */
    readonly guide: Guide
  }
}

export interface Guide {
  readonly open: string
  readonly menu: { readonly android: string; readonly iphone: string; readonly any: string }
  readonly devices: string
  readonly scan: string
  readonly type: string
  /** A notification that shortens the way for a code. */
  readonly notification: string
  /** The way to end the link in the app. */
  readonly undo: string
}

/** Translations of the English words of its driver: by code, unless `locales` has the code for several networks. */
export interface DriverWords {
  /** Introduction to the network. */
  readonly intro: string
  /** Meanings of its settings and credentials. */
  readonly hints: Table
  readonly reasons?: Table
  readonly errors?: Table
  readonly notices?: Table
  readonly restrictions?: Table
  /** Why values for its settings and credentials are refused. */
  readonly faults?: Table
  /** Fates of messages to its test addresses, by the word behind the `@`. */
  readonly test_addresses?: Table
}

/** The words of a network in another language than English. */
export type TranslatedNetworkWords<English extends NetworkWords> = Translated<English> & {
  readonly console: DriverWords
}
