import { type Json, objectIn, textIn } from '../../kit/json.ts'
import { cutText, longestReceivedText } from '../../kit/received-text.ts'

/** The text of a field, or of one below it, as it is stored; null if there is none. */
export function shownText(json: Json, name: string, below?: string): string | null {
  const text = below === undefined ? textIn(json, name) : textIn(objectIn(json, name) ?? {}, below)
  return text === null ? null : cutText(text, longestReceivedText)
}
