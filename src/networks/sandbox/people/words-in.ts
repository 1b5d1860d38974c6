import type { OutgoingMessage } from '../../driver/message.ts'
import { wordsOf } from '../templates.ts'

/** The words that a recipient sees of a message; of a file its caption. */
export function wordsIn(message: OutgoingMessage): string {
  switch (message.kind) {
    case 'text':
    case 'correction':
      return message.text
    case 'template':
      return wordsOf(message.template)
    case 'location':
      return message.location.name ?? ''
    case 'contacts':
      return message.contacts.map(({ name }) => name).join(', ')
    case 'interactive':
      return message.interactive.body
    case 'poll':
      return message.poll.question
    case 'reaction':
      return message.emoji ?? ''
    case 'retraction':
      return ''
    default:
      return message.caption ?? ''
  }
}
