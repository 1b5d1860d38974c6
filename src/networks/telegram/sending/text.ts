import { inFull } from '../../../runtime/text/in-full.ts'
import { limits } from '../limits.ts'

/** The longest, in UTF-16 code units: Telegram counts in them. */
const longest = { text: limits.text_characters, caption: limits.caption_characters } as const

/** Control characters become spaces at Telegram, except for line feeds; carriage returns are dropped. */
const control = /(?![\t\n\r\x7f-\x9f])\p{Cc}/u

/** As `Driver.textFault`. */
export function textFault(text: string, part: 'text' | 'caption'): string | null {
  if (!isRepresentable(text))
    return 'Telegram cannot carry control characters or halves of characters. Send the text without them.'
  if (text !== '' && text.trim() === '')
    return 'Telegram carries no text of spaces alone. Send something else.'
  if (text.length > longest[part]) {
    const most = inFull(longest[part])
    return `Telegram counts most emojis, and other rare characters, as two, and carries ${most} in a ${part}. Send a shorter one.`
  }
  return null
}

export function isRepresentable(text: string): boolean {
  return text.isWellFormed() && !control.test(text)
}
