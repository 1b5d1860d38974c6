import type { Event, Message } from '../../../clients/javascript/src/index.ts'
import type { ChatwootAttachment, ChatwootMessage } from './chatwoot.ts'
import { isOurs } from './content.ts'
import type { ReplyPart } from './state.ts'

/** A piece of a reply that is one message at Posthorn. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly attachment: ChatwootAttachment; readonly caption: string }

/** The longest text and caption that the network takes, in Unicode characters. */
export interface TextLimits {
  readonly text: number
  readonly caption: number
}

/** True if the message is one that a person in Chatwoot, or Chatwoot itself, wrote to the contact. */
export function isReply(message: ChatwootMessage): boolean {
  const { message_type: type, content_type, content_attributes, private: isPrivate, source_id } = message
  // Templates of other kinds, such as a survey, are forms of Chatwoot's own widget.
  const isForContact = type === 1 || (type === 3 && (content_type ?? 'text') === 'text')
  return isForContact && !isPrivate && !isOurs(source_id) && content_attributes?.deleted !== true
}

/** Returns the messages that a reply becomes, in their order: its text in as many as the network needs, and each file. */
export function piecesOf({ content, attachments = [] }: ChatwootMessage, limits: TextLimits): Piece[] {
  const text = (content ?? '').trim()
  const [first, ...others] = attachments
  if (!first) return split(text, limits.text).map((part) => ({ kind: 'text', text: part }))
  const fits = Array.from(text).length <= limits.caption
  const before = fits ? [] : split(text, limits.text)
  return [
    ...before.map((part): Piece => ({ kind: 'text', text: part })),
    { kind: 'file', attachment: first, caption: fits ? text : '' },
    ...others.map((attachment): Piece => ({ kind: 'file', attachment, caption: '' })),
  ]
}

/** Splits a text at ends of lines or words, so that each part has at most `max` characters. */
function split(text: string, max: number): string[] {
  const parts: string[] = []
  let rest = Array.from(text)
  while (rest.length > max) {
    const head = rest.slice(0, max).join('')
    const at = Math.max(head.lastIndexOf('\n'), head.lastIndexOf(' '))
    const part = at > head.length / 2 ? head.slice(0, at) : head
    parts.push(part.trim())
    rest = Array.from(rest.join('').slice(part.length).trimStart())
  }
  const last = rest.join('')
  return [...parts, last].filter((part) => part !== '')
}

/** Returns the labels by which a message of Posthorn is known as a part of a reply. */
export function metadataOf(
  part: Omit<ReplyPart, 'rank' | 'error'>,
  inboxName: string,
): Record<string, string> {
  return {
    chatwoot: inboxName,
    chatwoot_conversation: String(part.conversation_id),
    chatwoot_message: String(part.message_id),
    chatwoot_part: String(part.part),
    chatwoot_parts: String(part.parts),
  }
}

/** Returns the part of a reply that a message of Posthorn is; undefined if it is none of this inbox. */
export function replyOf(
  { metadata }: Message,
  inboxName: string,
): Omit<ReplyPart, 'rank' | 'error'> | undefined {
  if (metadata.chatwoot !== inboxName) return undefined
  const part = {
    conversation_id: Number(metadata.chatwoot_conversation),
    message_id: Number(metadata.chatwoot_message),
    part: Number(metadata.chatwoot_part),
    parts: Number(metadata.chatwoot_parts),
  }
  return Object.values(part).every(Number.isSafeInteger) ? part : undefined
}

/** Returns how far an event says that a part has come. */
export function rankOf(type: Event['type']): number {
  const ranks: Partial<Record<Event['type'], number>> = {
    'message.sent': 1,
    'message.delivered': 2,
    'message.read': 3,
  }
  return ranks[type] ?? 9
}
