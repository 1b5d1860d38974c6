import type { OutgoingMessage } from '../../driver/message.ts'
import type {
  MessageSentElsewhere,
  ReceivedContent,
  ReceivedFile,
  ReceivedRelation,
} from '../../driver/observation.ts'
import { fileAt } from '../../kit/file-url.ts'
import type { FollowUp } from '../script.ts'
import { keptFile } from './kept-file.ts'
import { wordsIn } from './words-in.ts'

/** A text or a file of a person to the account. */
export interface ScriptedMessage {
  readonly text?: string
  readonly file?: ReceivedFile
  readonly content?: ReceivedContent
  readonly relation?: ReceivedRelation
}

/** Returns the answer of a message's recipient. */
export function answerOf(
  message: OutgoingMessage,
  followUp: Extract<
    FollowUp,
    'reply' | 'other reply' | 'repeat' | 'share' | 'share kept' | 'choose' | 'react' | 'quote'
  >,
): ScriptedMessage | null {
  const text = textOf(message)
  if (followUp === 'quote') return { text, relation: { type: 'reply', message: message.id } }
  if (followUp === 'react') return { text: '👍', relation: { type: 'reaction', message: message.id } }
  if (followUp === 'choose') return choiceIn(message)
  if (followUp === 'share kept') return { file: keptFile(text) }
  const file = followUp === 'share' ? fileAt(text) : null
  return file ? { file } : { text }
}

/**
 * Returns the message that the account sends to the same recipient from another client: the same text, or the file at the
 * URL if it is one.
 */
export function sentElsewhere(message: OutgoingMessage, at: number): MessageSentElsewhere {
  const { text = null, file = null } = answerOf(message, 'share') ?? {}
  const network_message_id = `elsewhere-${message.id}`
  return { kind: 'message-sent-elsewhere', network_message_id, conversation: message.to, at, text, file }
}

/** The first thing that a recipient can choose in a message; null if there is none. */
function choiceIn(message: OutgoingMessage): ScriptedMessage | null {
  const relation = { type: 'reply', message: message.id } as const
  if (message.kind === 'poll')
    return { content: { poll_vote: { options: message.poll.options.slice(0, 1) } }, relation }
  if (message.kind !== 'interactive') return null
  const { buttons, list } = message.interactive
  const button = buttons?.[0]
  const row = list?.sections[0]?.rows[0]
  const chosen = button ?? row
  if (!chosen) return null
  const reply = { id: chosen.id, title: chosen.title, payload: null }
  return { content: button ? { button_reply: reply } : { list_reply: reply }, relation }
}

/** Returns the words of a message that a recipient repeats; of a file without a caption, its name. */
function textOf(message: OutgoingMessage): string {
  return 'file' in message ? (message.caption ?? message.file.filename) : wordsIn(message)
}
