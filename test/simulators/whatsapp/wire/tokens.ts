import { readFileSync } from 'node:fs'

interface Tokens {
  readonly single: readonly string[]
  readonly double: readonly (readonly string[])[]
}

/**
 * The words that the protocol abbreviates, in version 3 of its dictionary (clients name the version in their first
 * bytes): those of one byte, from 1 on, and four lists of those of two bytes. They are data of the network, as Baileys
 * 7.0.0-rc14 and zapo-js 0.3.0 have them alike.
 */
const { single, double }: Tokens = JSON.parse(
  readFileSync(new URL('tokens.json', import.meta.url), 'utf8'),
) as Tokens

/** The byte before the index of a word in the first list of two bytes. */
const firstList = 236

const codes = new Map<string, readonly number[]>([
  ...double.flatMap((list, number) =>
    list.map((word, index): [string, number[]] => [word, [firstList + number, index]]),
  ),
  ...single.map((word, index): [string, number[]] => [word, [index + 1]]),
])

/** The bytes that stand for this word; nothing if it has none. */
export const codeOf = (word: string): readonly number[] | undefined => codes.get(word)

/** The word of one byte. */
export const shortWord = (code: number): string | undefined => single[code - 1]

/** Returns the list of words of two bytes that this first byte announces, if it does. */
export const wordList = (code: number): readonly string[] | undefined => double[code - firstList]
