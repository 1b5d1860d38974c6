import type { Message } from '../../../../contract/resources/message.ts'

/** The orders that a person can give about a message. */
export interface Orders {
  readonly reply: (message: Message) => void
  readonly edit: (message: Message) => void
  readonly retract: (message: Message) => void
  /** Reacts with an emoji; null takes the reaction back. */
  readonly react: (message: Message, emoji: string | null) => Promise<void>
}
