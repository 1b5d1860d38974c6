/** The text with a replacement for what not every store and reader can carry: U+0000, and lone surrogates. */
export function carried(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd')
}
