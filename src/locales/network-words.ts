import type { Translated } from './phrase.ts'

type Table = Readonly<Record<string, string>>

/** What a network says to people: `words/TAG.ts` in its folder, for each language. */
export interface NetworkWords {
  readonly console: {
    /** What its settings and credentials are called. */
    readonly labels: Table
  }
  readonly 'link-page'?: {
    /** What its app is called. */
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
  /** What shortens the way for a code. */
  readonly notification: string
}

/** What its driver says in English, in another language: by code, unless `locales` has the code for several networks. */
export interface DriverWords {
  /** What the network is. */
  readonly intro: string
  /** What its settings and credentials mean. */
  readonly hints: Table
  readonly reasons?: Table
  readonly errors?: Table
  readonly notices?: Table
  readonly restrictions?: Table
  /** Why values for its settings and credentials are refused. */
  readonly faults?: Table
  /** What happens to messages to its test addresses, by the word behind the `@`. */
  readonly test_addresses?: Table
}

/** The words of a network in another language than English. */
export type TranslatedNetworkWords<English extends NetworkWords> = Translated<English> & {
  readonly console: DriverWords
}
