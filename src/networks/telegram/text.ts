/** The longest text, in UTF-16 code units: Telegram counts in them. */
const longestText = 4096

/** Control characters become spaces at Telegram, except for line feeds; carriage returns are dropped. */
const control = /(?![\t\n\r\x7f-\x9f])\p{Cc}/u

/** As `Driver.textFault`. */
export function textFault(text: string): string | null {
  if (!isRepresentable(text))
    return 'Telegram cannot carry control characters or halves of characters. Send the text without them.'
  if (text !== '' && text.trim() === '')
    return 'Telegram carries no text of spaces alone. Send something else.'
  if (text.length > longestText)
    return 'Telegram counts most emojis, and other rare characters, as two, and carries 4,096 in all. Send a shorter text.'
  return null
}

export function isRepresentable(text: string): boolean {
  return text.isWellFormed() && !control.test(text)
}
