import { getContentType, normalizeMessageContent, proto } from 'baileys'
import { userOf } from '../baileys/signal.ts'

/** The names that a chat has for its people. */
export interface ChatPlace {
  /** The address of the other side. */
  readonly chat: string
  readonly isGroup: boolean
  /** The account, as the chat names it. */
  readonly own: string
  /** A person, as the chat names them: by a phone number or a LID. */
  readonly nameOf: (jid: string) => string
}

/**
 * Says in the way of its chat to which message another one refers, and whom it mentions. Clients find a message by its id, its chat
 * and, in a group, its author, by the names that the chat has for them.
 */
export function place(message: proto.IMessage, chat: ChatPlace): void {
  const content = normalizeMessageContent(message)
  const key = content?.reactionMessage?.key ?? content?.protocolMessage?.key
  if (key) {
    key.remoteJid = chat.chat
    if (key.participant && chat.isGroup) key.participant = chat.nameOf(key.participant)
    else delete key.participant
    return
  }
  const type = getContentType(content)
  const said: unknown = content && type ? content[type] : undefined
  if (typeof said !== 'object' || said === null || !('contextInfo' in said)) return
  const context = said.contextInfo as proto.IContextInfo | null | undefined
  if (!context) return
  if (context.stanzaId)
    context.participant = context.participant ? chat.nameOf(context.participant) : chat.own
  const given = context.mentionedJid ?? []
  if (given.length === 0) return
  context.mentionedJid = given.map(chat.nameOf)
  spell(said, given, context.mentionedJid)
}

/** A text mentions a person by an `@` and the digits of the address that the chat has for them: clients show the name instead. */
function spell(said: object, given: readonly string[], named: readonly string[]): void {
  const texts = said as { text?: string | null; caption?: string | null }
  for (const part of ['text', 'caption'] as const) {
    const text = texts[part]
    if (!text) continue
    const names = new Map(given.map((jid, index) => [userOf(jid), userOf(named[index] ?? jid)]))
    texts[part] = text.replaceAll(/@([0-9]{5,20})(?![0-9])/g, (all, user: string) => {
      const name = names.get(user)
      return name === undefined ? all : `@${name}`
    })
  }
}

/** The attribute with which WhatsApp passes on a change of an earlier message, and the node that announces a poll: as Baileys sends them. */
export function announcementOf(message: proto.IMessage): {
  readonly attributes: Record<string, string>
  readonly nodes: { tag: string; attrs: Record<string, string> }[]
} {
  const content = normalizeMessageContent(message) ?? {}
  const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type
  const type = content.protocolMessage?.type
  const isPoll = Boolean(content.pollCreationMessage ?? content.pollCreationMessageV3)
  return {
    attributes: type === MESSAGE_EDIT ? { edit: '1' } : type === REVOKE ? { edit: '7' } : {},
    nodes: isPoll ? [{ tag: 'meta', attrs: { polltype: 'creation' } }] : [],
  }
}

/** The key of the message that another one edits; undefined if it is no edit. */
export function editedKey(message: proto.IMessage): proto.IMessageKey | undefined {
  const { type, key } = normalizeMessageContent(message)?.protocolMessage ?? {}
  return type === proto.Message.ProtocolMessage.Type.MESSAGE_EDIT ? (key ?? undefined) : undefined
}

/**
 * Gives an edit of a caption the file that it is the caption of: clients replace the whole message. `target` is the message that
 * was sent, and is changed.
 */
export function editFile(edit: proto.IMessage, target: proto.IMessage): void {
  const change = edit.protocolMessage
  const edited = normalizeMessageContent(change?.editedMessage)
  const sent = normalizeMessageContent(target)
  const { caption } = edited?.imageMessage ?? edited?.videoMessage ?? edited?.documentMessage ?? {}
  const file = sent?.imageMessage ?? sent?.videoMessage ?? sent?.documentMessage
  if (!change || !file || typeof caption !== 'string') return
  file.caption = caption
  const { documentMessage } = sent ?? {}
  delete target.messageContextInfo
  change.editedMessage = documentMessage
    ? { documentWithCaptionMessage: { message: { documentMessage } } }
    : target
}
