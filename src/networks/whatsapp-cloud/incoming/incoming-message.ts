import { shortenName } from '../../../media/content/file-name.ts'
import type {
  FileByReference,
  MessageReceived,
  MessageSentElsewhere,
  ReceivedContent,
  ReceivedRelation,
  UnsupportedMessage,
} from '../../driver/observation.ts'
import { type Json, objectIn, textIn } from '../../kit/json.ts'
import { groupConversation } from '../address.ts'
import { addressesIn, addressOf, senderNames, told } from '../people.ts'
import { isMessageId } from '../sending/sender.ts'
import { timeIn } from './notifications.ts'
import { type Profiles, writerOf } from './writer-names.ts'
import { referralIn, shown, wordsIn, writtenIn } from './written-content.ts'

/**
 * Returns a message of a person; null if it is none, or cannot be answered. `now` is in milliseconds since the epoch. The profiles are
 * those that came with it. Source: Webhooks, Reference, messages.
 */
export function messageIn(message: Json, now: number, profiles: Profiles): MessageReceived | null {
  const id = idIn(message, 'id')
  const addresses = addressesIn(message, senderNames)
  const from = addressOf(addresses)
  const conversation = isInGroup(message) ? groupIn(message) : from
  const content = contentOf(message)
  if (id === null || from === null || conversation === null || content === null) return null
  const sender = writerOf(message, from, profiles)
  return {
    kind: 'message-received',
    network_message_id: id,
    // Edits and answers refer to it by this.
    sender_message_id: id,
    from,
    conversation,
    ...told(addresses),
    at: timeIn(message, 'timestamp', now),
    ...withContent(content, sender ? { sender } : {}),
  }
}

/** An answer to the writer of a message in a group would be another conversation. */
function isInGroup(message: Json): boolean {
  return (message.group_id ?? null) !== null
}

function groupIn(message: Json): string | null {
  const id = textIn(message, 'group_id')
  return id && groupConversation(id)
}

/** Returns this content of a message, and more. */
function withContent(content: Content, more: ReceivedContent): Content {
  const all = { ...content.content, ...more }
  return Object.keys(all).length > 0 ? { ...content, content: all } : content
}

/**
 * A message that the business wrote in the WhatsApp Business app on its phone, or what it changed about one; null if it is none.
 * Source: Webhooks, Reference, smb_message_echoes.
 */
export function echoIn(echo: Json, now: number): MessageSentElsewhere | null {
  const id = idIn(echo, 'id')
  const addresses = addressesIn(echo, { user: 'to_user_id', parent: 'to_parent_user_id', phone: 'to' })
  const isToGroup = isInGroup(echo)
  const conversation = isToGroup ? groupIn(echo) : addressOf(addresses)
  const content = contentOf(echo)
  if (id === null || conversation === null || content === null) return null
  return {
    kind: 'message-sent-elsewhere',
    network_message_id: id,
    // As above.
    sender_message_id: id,
    conversation,
    ...(isToGroup ? {} : told(addresses)),
    at: timeIn(echo, 'timestamp', now),
    ...content,
  }
}

function idIn(json: Json, name: string): string | null {
  const id = textIn(json, name)
  return id !== null && isMessageId(id) ? id : null
}

type Content = Pick<MessageReceived, 'text' | 'file' | 'relation' | 'unsupported' | 'content'>

/** Returns the content of a message; null if it only tells of an event, such as a new phone number. */
function contentOf(message: Json): Content | null {
  const type = textIn(message, 'type') ?? 'unknown'
  const about = objectIn(message, type) ?? {}
  switch (type) {
    case 'system':
      return null
    case 'reaction':
      return { text: shown(about, 'emoji') ?? '', file: null, relation: to('reaction', about, 'message_id') }
    case 'revoke':
      return { text: null, file: null, relation: to('retraction', about, 'original_message_id') }
    case 'edit': {
      const said = changedIn(objectIn(about, 'message') ?? {}) ?? unreadable(message, 'edit')
      return { ...said, relation: to('correction', about, 'original_message_id') }
    }
    default: {
      const referral = referralIn(message)
      const said = saidIn(message) ?? unreadable(message, type)
      return { ...withContent(said, referral ? { referral } : {}), ...replyIn(message) }
    }
  }
}

function to(type: ReceivedRelation['type'], json: Json, name: string): ReceivedRelation {
  return { type, message: idIn(json, name) }
}

/** A message that was forwarded has a context, too, but no id in it. */
function replyIn(message: Json): Pick<Content, 'relation'> {
  const id = idIn(objectIn(message, 'context') ?? {}, 'id')
  return id === null ? {} : { relation: { type: 'reply', message: id } }
}

const fileTypes = ['image', 'document', 'audio', 'video', 'sticker']

/** Returns the content of a message since it was changed. Of one with a file, only the caption can be. */
function changedIn(message: Json): Content | null {
  const said = saidIn(message)
  return said?.unsupported && said.text !== null ? { text: said.text, file: null } : said
}

/** The text, the file or the other content of a message; null if it has none that can be read. */
function saidIn(message: Json): Content | null {
  const type = textIn(message, 'type') ?? ''
  const about = objectIn(message, type) ?? {}
  if (fileTypes.includes(type)) {
    const [text, file] = [shown(about, 'caption'), fileIn(about, type)]
    return file ? { text, file } : { ...unreadable(message, type), text }
  }
  if (type === 'text') {
    const text = shown(about, 'body')
    return text === null ? null : { text, file: null }
  }
  const written = writtenIn(message, type)
  return written && { ...written, file: null }
}

/** The id leads to the file for seven days. */
function fileIn(about: Json, kind: string): FileByReference | null {
  const reference = textIn(about, 'id')
  if (reference === null || !isMediaId(reference)) return null
  const name = (textIn(about, 'filename') ?? '').replace(/^.*[/\\]/s, '').replace(/\p{Cc}/gu, '')
  const type = textIn(about, 'mime_type')
  return {
    reference,
    filename: shortenName(name) || null,
    mime_type: type !== null && /^[\x21-\x7e ]{1,255}$/.test(type) ? type : null,
    ...(kind === 'sticker' && { isSticker: true as const }),
  }
}

/** The id of a file at the Graph API. It becomes a part of a path. */
export function isMediaId(id: string): boolean {
  return /^[0-9]{1,40}$/.test(id)
}

/** The types of messages that have a name of their own at Posthorn. */
const others = new Map([
  ['location', 'location'],
  ['contacts', 'contact'],
  ['order', 'order'],
  ['unsupported', 'unsupported'],
])

/** A message that has no name here keeps the network's own name for it, and what words it has. */
function unreadable(message: Json, type: string): Content & { readonly unsupported: UnsupportedMessage } {
  const about = objectIn(message, type) ?? {}
  const inner = type === 'unsupported' || type === 'interactive' ? textIn(about, 'type') : null
  const name = [inner, type].find((word) => word !== null && /^[\w.-]{1,64}$/.test(word)) ?? null
  return {
    text: wordsIn(message, type),
    file: null,
    unsupported: { type: others.get(type) ?? 'unknown', name },
  }
}
