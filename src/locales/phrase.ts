/** A phrase, or one for each plural category that its language has; `other` stands for those that are left out. */
export type Phrase = string | PluralForms
type PluralForms = { readonly other: string } & { readonly [Category in Intl.LDMLPluralRule]?: string }

/** A phrase with plural forms, as English has them. */
interface EnglishPlural {
  readonly one: string
  readonly other: string
}

type Names<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never
type All<T> = (T extends unknown ? (part: T) => void : never) extends (whole: infer Whole) => void
  ? Whole
  : never

/** The names of the placeholders of a phrase; `{count}` also chooses the plural form. */
export type PlaceholdersOf<P> = P extends string
  ? Names<P>
  : P extends EnglishPlural
    ? Names<P['other']> | 'count'
    : never

/** The keys of a table and of its groups: `title`, `areas.overview`. */
export type KeyOf<T> = {
  [Key in keyof T & string]: T[Key] extends string | EnglishPlural ? Key : `${Key}.${KeyOf<T[Key]>}`
}[keyof T & string]

/** The phrase that stands under a key. */
export type PhraseAt<T, Key> = Key extends keyof T
  ? T[Key]
  : Key extends `${infer Group}.${infer Rest}`
    ? Group extends keyof T
      ? PhraseAt<T[Group], Rest>
      : never
    : never

/** The table of another language: the same keys, with the same placeholders. */
export type Translated<English> = English extends string
  ? [Names<English>] extends [never]
    ? string
    : All<Names<English> extends infer Name extends string ? Containing<Name> : never>
  : English extends EnglishPlural
    ? PluralForms
    : { readonly [Key in keyof English]: Translated<English[Key]> }

type Containing<Name extends string> = Name extends unknown ? `${string}{${Name}}${string}` : never
