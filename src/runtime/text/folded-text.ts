/** More marks in a row than any language has: putting so many into order takes longer by their square. */
const manyMarks = /\p{M}{30}(?=\p{M})/gu

/**
 * A text without the differences that a search does not see: upper and lower case, and how a letter with its accent is encoded. So
 * `ß` is `ss`, `ς` is `σ`, and every `i` is the same, with a dot or without. Accents count. Of a pile of marks on one letter, each
 * thirty are put into order for themselves (Unicode Standard Annex 15, section 13).
 */
export function folded(text: string): string {
  // Not to lower case, in which a sigma at the end of a word differs.
  const upper = text.toLowerCase().toUpperCase().replaceAll('I\u0307', 'I')
  return upper.replaceAll(manyMarks, '$&\u034f').normalize('NFC')
}
