import type { OutgoingMessage } from '../driver/message.ts'
import type { MessageSentElsewhere, ReceivedFile } from '../driver/observation.ts'
import { fileAt } from '../kit/file-url.ts'
import { keptFile } from './kept-file.ts'
import type { FollowUp } from './script.ts'
import { wordsOf } from './templates.ts'

/** A text or a file of a person to the account. */
export interface ScriptedMessage {
  readonly text?: string
  readonly file?: ReceivedFile
}

/** Returns the answer of a message's recipient. */
export function answerOf(
  message: OutgoingMessage,
  followUp: Extract<FollowUp, 'reply' | 'other reply' | 'repeat' | 'share' | 'share kept'>,
): ScriptedMessage {
  const text = textOf(message)
  if (followUp === 'share kept') return { file: keptFile(text) }
  const file = followUp === 'share' ? fileAt(text) : null
  return file ? { file } : { text }
}

/**
 * Returns the message that the account sends to the same recipient from another client: the same text, or the file at the
 * URL if it is one.
 */
export function sentElsewhere(message: OutgoingMessage, at: number): MessageSentElsewhere {
  const { text = null, file = null } = answerOf(message, 'share')
  const network_message_id = `elsewhere-${message.id}`
  return { kind: 'message-sent-elsewhere', network_message_id, conversation: message.to, at, text, file }
}

/**
 * Returns the words of a message that a recipient repeats: its text, or that of its template, or else the caption or the
 * name of its file.
 */
function textOf(message: OutgoingMessage): string {
  if (message.kind === 'text') return message.text
  if (message.kind === 'template') return wordsOf(message.template)
  return message.caption ?? message.file.filename
}
