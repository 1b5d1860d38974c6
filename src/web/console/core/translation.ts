/*
 * What tables of words consist of, apart from the language of the page: tests read them outside of a browser.
 */

/** The same words in all languages. */
export type Words = readonly [english: string, portuguese: string, spanish: string]

/** What the server says itself in English, in the other languages. */
export type Translation = readonly [portuguese: string, spanish: string]
