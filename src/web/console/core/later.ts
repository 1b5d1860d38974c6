import type { Message } from '../../../contract/resources/message.ts'
import type { MessageStatus } from '../../../contract/statuses.ts'

/**
 * Rank of each status in the course of a message. A message never goes back, but an event may come after a response that
 * knows more.
 */
const ranks: Readonly<Record<MessageStatus, number>> = {
  queued: 0,
  sending: 1,
  unknown: 2,
  sent: 3,
  delivered: 4,
  read: 5,
  failed: 6,
  expired: 6,
  canceled: 6,
  received: 6,
}

/** Of two states of one message, the one that is further. */
export function laterOf(shown: Message, told: Message): Message {
  return (ranks[told.status] ?? 0) > (ranks[shown.status] ?? 0) ? told : shown
}

/** The messages with what was told of one of them; the same messages if it is not among them. */
export function withNews(messages: readonly Message[], told: Message): readonly Message[] {
  return messages.some(({ id }) => id === told.id)
    ? messages.map((message) => (message.id === told.id ? laterOf(message, told) : message))
    : messages
}
