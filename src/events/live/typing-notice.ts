import { type TypingState, typingStates } from '../../contract/statuses.ts'

/** A person who begins or ends to write to the account of an instance. */
export interface TypingNotice {
  readonly organization: string
  readonly instance: { readonly id: string; readonly name: string }
  readonly conversation: string
  readonly from: string
  readonly state: TypingState
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** The longest word, in characters: PostgreSQL takes 8,000 bytes at once, of which others want some, too. */
const maxWord = 2_000

/** Returns a notice as a word for other nodes, without spaces; undefined if it would be too long. */
export function writeTypingWord(notice: TypingNotice): string | undefined {
  const { organization, instance, conversation, from, state, at } = notice
  const parts = [organization, instance.id, instance.name, conversation, from, state, at]
  const word = Buffer.from(JSON.stringify(parts)).toString('base64url')
  return word.length <= maxWord ? word : undefined
}

/** Returns the notice of a word; undefined if it is none, since everything that may use the database may write to the channel. */
export function readTypingWord(word: string): TypingNotice | undefined {
  if (word.length > maxWord) return undefined
  try {
    const parts: unknown = JSON.parse(Buffer.from(word, 'base64url').toString())
    if (!Array.isArray(parts) || parts.length !== 7) return undefined
    const [organization, id, name, conversation, from, given, at] = parts
    const state = typingStates.find((known) => known === given)
    const areTexts = [organization, id, name, conversation, from].every((part) => typeof part === 'string')
    if (!areTexts || !state || !Number.isSafeInteger(at)) return undefined
    return { organization, instance: { id, name }, conversation, from, state, at }
  } catch {
    return undefined
  }
}
