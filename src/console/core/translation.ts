/** What the server says itself in English, in the other languages. */
export type Translation = readonly [portuguese: string, spanish: string]
