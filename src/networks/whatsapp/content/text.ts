import { inFull } from '../../../runtime/text/in-full.ts'
import { limits } from '../limits.ts'

/** The longest, in Unicode characters. */
const longest = { text: limits.text_characters, caption: limits.caption_characters } as const

/** As `Driver.textFault`: what the encoding of messages (UTF-8 in Protocol Buffers) cannot carry, or clients do not show. */
export function textFault(text: string, part: 'text' | 'caption'): string | null {
  if (!isRepresentable(text))
    return 'WhatsApp cannot carry null characters or unpaired surrogates. Send the text without them.'
  if (text !== '' && text.trim() === '') return 'WhatsApp shows no text of spaces alone. Send something else.'
  if (text.length > longest[part] && Array.from(text).length > longest[part])
    return `WhatsApp carries ${inFull(longest[part])} characters in a ${part}. Send a shorter one.`
  return null
}

export function isRepresentable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}
