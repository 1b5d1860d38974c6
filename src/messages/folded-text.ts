/**
 * A text without the differences that a search does not see: upper and lower case, and how a letter with its accent is encoded. So
 * `ß` is `ss`, `ς` is `σ`, and every `i` is the same, with a dot or without. Accents count.
 */
export function folded(text: string): string {
  // Not to lower case, in which a sigma at the end of a word differs.
  return text.toLowerCase().toUpperCase().replaceAll('I\u0307', 'I').normalize('NFC')
}
