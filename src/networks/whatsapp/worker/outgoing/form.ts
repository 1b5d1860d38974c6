import { randomBytes } from 'node:crypto'
import { getContentType, normalizeMessageContent, proto } from 'baileys'
import type { WhatsAppContent } from '../../content/fields.ts'

/** The length of the secret of a message, in bytes. */
const secretBytes = 32

/** Contents without a secret: they are about another message. */
const withoutSecret = [
  'reactionMessage',
  'encReactionMessage',
  'encEventResponseMessage',
  'pollUpdateMessage',
]

/** Contents that have no place for a context. */
const withoutContext = ['protocolMessage', 'reactionMessage']

/**
 * A message as clients of WhatsApp form it: with a secret, as the library's own `sendMessage` has it, and with the seconds after which it
 * disappears, if the messages of the chat do.
 */
export function formed(content: WhatsAppContent, expiration: number): proto.IMessage {
  const message: proto.IMessage = proto.Message.fromObject({ ...content })
  if (!withoutSecret.some((name) => name in content))
    message.messageContextInfo = { ...message.messageContextInfo, messageSecret: randomBytes(secretBytes) }
  if (expiration > 0) disappear(message, expiration)
  return message
}

function disappear(message: proto.IMessage, expiration: number): void {
  const content = normalizeMessageContent(message)
  if (!content) return
  // A bare text has no place for it.
  if (content.conversation) {
    content.extendedTextMessage = { text: content.conversation }
    delete content.conversation
  }
  const type = getContentType(content)
  const said: unknown = type && !withoutContext.includes(type) ? content[type] : undefined
  if (typeof said !== 'object' || said === null) return
  const { contextInfo } = said as { contextInfo?: proto.IContextInfo | null }
  Object.assign(said, { contextInfo: { ...contextInfo, expiration } })
}
