import type {
  ContactKnown,
  MessageReceived,
  ReceivedContent,
  ReceivedRelation,
} from '../../driver/observation.ts'
import { asObject, integerIn, type Json, objectIn, objectsIn, textIn } from '../../kit/json.ts'
import { ownCopy } from '../../kit/received-text.ts'
import { messageId } from '../message-id.ts'
import type { KnownPolls } from '../polls.ts'
import { reacted, tapped, voted } from './choices.ts'
import { contentOf } from './content.ts'
import { groupUpdateTypes } from './group-news.ts'
import { authorIn, chatIn } from './people.ts'
import { secondsOf, timeOf } from './time.ts'
import { topicIn } from './topic.ts'

/** The updates with a message that a person wrote. */
const written = ['message', 'edited_message', 'channel_post', 'edited_channel_post'] as const

/** The updates that are asked for. Telegram tells of reactions, and of members, only if they are named. */
export const updateTypes = [
  ...written,
  ...['callback_query', 'poll_answer', 'message_reaction'],
  ...groupUpdateTypes,
] as const

/** The supergroup that a group has become, as either of them says; null if an update says no such thing. */
export function movedChatIn({ message }: Json): ContactKnown | null {
  const said = asObject(message)
  const chat = said && chatIn(said, 'chat')
  if (!chat) return null
  const [to, from] = [integerIn(said, 'migrate_to_chat_id'), integerIn(said, 'migrate_from_chat_id')]
  if (to !== null) return movedChat(chat, String(to))
  return from === null ? null : movedChat(String(from), chat)
}

/** A group that goes on under another id. */
export function movedChat(formerly: string, address: string): ContactKnown {
  return { kind: 'contact-known', addresses: [address], formerly }
}

/**
 * Returns what a person wrote, chose or did, by an update; null if it says no such thing. `now` is in milliseconds since the
 * epoch.
 */
export function messageIn(update: Json, now: number, polls: KnownPolls = new Map()): MessageReceived | null {
  for (const type of written) {
    const message = objectIn(update, type)
    if (message) return received(message, type.startsWith('edited'), now)
  }
  return tapped(update, now) ?? voted(update, polls, now) ?? reacted(update, now)
}

function received(message: Json, isEdit: boolean, now: number): MessageReceived | null {
  const chat = chatIn(message, 'chat')
  const id = integerIn(message, 'message_id')
  if (chat === null || id === null) return null
  const said = contentOf(message)
  if (said === null) return null
  const { digest, content, ...words } = said
  // A live location is edited at every move.
  if (isEdit && (content || words.unsupported)) return null
  const dates = isEdit ? ['edit_date', 'date'] : ['date']
  const relation = isEdit
    ? ({ type: 'correction', message: messageId(chat, id) } as const)
    : replyIn(message, chat)
  // Channels, and administrators who hide behind their group, write as a chat.
  const author = authorIn(message, ['sender_chat', 'from', 'chat'])
  const edit = `e${secondsOf(message, dates) ?? 0}-${digest}`
  return {
    kind: 'message-received',
    network_message_id: isEdit ? `${messageId(chat, id)}:${edit}` : messageId(chat, id),
    from: author?.from ?? chat,
    conversation: chat,
    at: timeOf(message, dates, now),
    ...words,
    content: { ...content, ...besidesIn(message), ...(author && { sender: author.sender }) },
    // An edit keeps the number of its message, which later messages refer to.
    ...(!isEdit && { sender_message_id: messageId(chat, id) }),
    ...(relation && { relation }),
  }
}

/** In a topic, every message seems to be a reply to the one that opened the topic. */
function replyIn(message: Json, chat: string): ReceivedRelation | null {
  const replied = objectIn(message, 'reply_to_message')
  if (replied) {
    if (objectIn(replied, 'forum_topic_created')) return null
    const id = integerIn(replied, 'message_id')
    return { type: 'reply', message: id === null ? null : messageId(chatIn(replied, 'chat') ?? chat, id) }
  }
  return objectIn(message, 'external_reply') ? { type: 'reply', message: null } : null
}

/** The topic and the mentions of a message. */
function besidesIn(message: Json): ReceivedContent {
  const topic = topicIn(message)
  const mentions = mentionsIn(message)
  return ownCopy({ ...(topic && { topic }), ...(mentions.length > 0 && { mentions }) })
}

/** The most entities of a text that are looked at: Telegram has at most 100. */
const maxEntities = 200

/** The people whom a text mentions, by id, and those whom it names by their user names, as addresses are spelled. */
function mentionsIn(message: Json): string[] {
  const text = textIn(message, 'text') ?? textIn(message, 'caption') ?? ''
  const entities = [...objectsIn(message, 'entities'), ...objectsIn(message, 'caption_entities')]
  const named = entities.slice(0, maxEntities).flatMap((entity) => {
    if (entity.type === 'text_mention') return chatIn(entity, 'user') ?? []
    const [offset, length] = [integerIn(entity, 'offset') ?? 0, integerIn(entity, 'length') ?? 0]
    if (entity.type !== 'mention' || offset < 0 || length < 0 || length > 64) return []
    const name = text.slice(offset, offset + length)
    return /^@[a-z][a-z0-9_]{4,31}$/i.test(name) ? name.toLowerCase() : []
  })
  return [...new Set(named)]
}
