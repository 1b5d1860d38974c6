import { createHash } from 'node:crypto'
import { shortenName } from '../../../media/content/file-name.ts'
import type {
  ContactKnown,
  FileByReference,
  MessageReceived,
  ReceivedRelation,
  UnsupportedMessage,
} from '../../driver/observation.ts'
import { asObject, integerIn, type Json, objectIn, objectsIn, textIn } from '../../kit/json.ts'
import { cutText, longestReceivedText } from '../../kit/received-text.ts'

/** The updates that are asked for. */
export const updateTypes = ['message', 'edited_message', 'channel_post', 'edited_channel_post'] as const

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

/** Returns the message in an update; null if it has none from a person. `now` is in milliseconds since the epoch. */
export function messageIn(update: Json, now: number): MessageReceived | null {
  for (const type of updateTypes) {
    const message = objectIn(update, type)
    if (message) return received(message, type.startsWith('edited'), now)
  }
  return null
}

function received(message: Json, isEdit: boolean, now: number): MessageReceived | null {
  const chat = chatIn(message, 'chat')
  const id = integerIn(message, 'message_id')
  if (chat === null || id === null) return null
  const content = contentOf(message)
  if (content === null) return null
  // A live location is edited at every move.
  if (isEdit && content.unsupported) return null
  const seconds = integerIn(message, isEdit ? 'edit_date' : 'date') ?? integerIn(message, 'date')
  const relation = isEdit
    ? ({ type: 'correction', message: `${chat}:${id}` } as const)
    : replyIn(message, chat)
  const { digest, ...said } = content
  return {
    kind: 'message-received',
    network_message_id: isEdit ? `${chat}:${id}:e${seconds ?? 0}-${digest}` : `${chat}:${id}`,
    from: authorOf(message) ?? chat,
    conversation: chat,
    at: seconds === null || seconds <= 0 ? now : Math.min(now, seconds * 1000),
    ...said,
    // An edit keeps the number of its message, which later messages refer to.
    ...(!isEdit && { sender_message_id: `${chat}:${id}` }),
    ...(relation && { relation }),
  }
}

function chatIn(json: Json, name: string): string | null {
  const id = integerIn(objectIn(json, name) ?? {}, 'id')
  return id === null || id === 0 ? null : String(id)
}

/** Channels, and administrators who hide behind their group, write as a chat. */
function authorOf(message: Json): string | null {
  return chatIn(message, 'sender_chat') ?? chatIn(message, 'from')
}

/** In a topic, every message seems to be a reply to the one that opened the topic. */
function replyIn(message: Json, chat: string): ReceivedRelation | null {
  const replied = objectIn(message, 'reply_to_message')
  if (replied) {
    if (objectIn(replied, 'forum_topic_created')) return null
    const id = integerIn(replied, 'message_id')
    return { type: 'reply', message: id === null ? null : `${chatIn(replied, 'chat') ?? chat}:${id}` }
  }
  return objectIn(message, 'external_reply') ? { type: 'reply', message: null } : null
}

interface Content {
  readonly text: string | null
  readonly file: FileByReference | null
  readonly unsupported?: UnsupportedMessage
  /** Of what it says, so that two edits within a second differ. */
  readonly digest: string
}

/** Returns a person's words, or null if the message only tells of an event in the chat. */
function contentOf(message: Json): Content | null {
  const said = textIn(message, 'text')
  const words = said ?? textIn(message, 'caption')
  const found = fileIn(message)
  const text = words && cutText(words, longestReceivedText)
  const digest = createHash('sha256')
    .update(JSON.stringify([words, found?.unique ?? null]))
    .digest('hex')
    .slice(0, 12)
  if (found) return { text, file: found.file, digest }
  const unsupported = said === null ? unsupportedIn(message) : null
  if (text === null && unsupported === null) return null
  return { text, file: null, ...(unsupported && { unsupported }), digest }
}

/** The kinds of files, and of what type each is if Telegram does not say. An animation comes as a document, too. */
const files = {
  animation: 'video/mp4',
  document: null,
  audio: null,
  voice: 'audio/ogg',
  video: 'video/mp4',
  video_note: 'video/mp4',
  live_photo: null,
  sticker: null,
} as const

function fileIn(message: Json): { readonly file: FileByReference; readonly unique: string | null } | null {
  const photo = objectsIn(message, 'photo').reduce<Json | null>(
    (largest, size) => (area(size) >= area(largest ?? {}) ? size : largest),
    null,
  )
  if (photo) return asFile(photo, 'image/jpeg')
  for (const [name, type] of Object.entries(files)) {
    const file = objectIn(message, name)
    if (file) return asFile(file, name === 'sticker' ? stickerType(file) : type)
  }
  return null
}

function area(size: Json): number {
  return (integerIn(size, 'width') ?? 0) * (integerIn(size, 'height') ?? 0)
}

function stickerType(sticker: Json): string {
  if (sticker.is_video === true) return 'video/webm'
  return sticker.is_animated === true ? 'application/gzip' : 'image/webp'
}

/** Length of the id of a file, in UTF-16 units: Telegram's have about 100. */
const longestFileId = 1024

function asFile(file: Json, usualType: string | null) {
  const reference = textIn(file, 'file_id')
  if (reference === null || !/^[\x21-\x7e]+$/.test(reference) || reference.length > longestFileId) return null
  const type = textIn(file, 'mime_type')
  const name = (textIn(file, 'file_name') ?? '').replace(/^.*[/\\]/s, '').replace(/\p{Cc}/gu, '')
  const filename = shortenName(name) || null
  const mime_type = type !== null && /^[\x21-\x7e ]{1,255}$/.test(type) ? type : usualType
  return { file: { reference, filename, mime_type }, unique: textIn(file, 'file_unique_id') }
}

/**
 * Contents that are neither a text nor a file. A venue has a location, too. Some of them look like an event: a payment, or a
 * choice in an app of the bot or with one of its buttons.
 */
const others = [
  'venue',
  'location',
  'contact',
  'poll',
  'dice',
  'game',
  'story',
  'checklist',
  'paid_media',
  'rich_message',
  'invoice',
  'giveaway',
  'giveaway_winners',
  'gift',
  'unique_gift',
  'successful_payment',
  'web_app_data',
  'users_shared',
  'user_shared',
  'chat_shared',
  'passport_data',
]

/**
 * Fields of a message besides its content (https://core.telegram.org/bots/api#message), as far as they are more than a
 * number or a word.
 */
const besides = new Set([
  ...[
    'from',
    'sender_chat',
    'sender_business_bot',
    'receiver_user',
    'chat',
    'direct_messages_topic',
    'via_bot',
  ],
  ...[
    'forward_origin',
    'forward_from',
    'forward_from_chat',
    'guest_bot_caller_user',
    'guest_bot_caller_chat',
  ],
  ...[
    'reply_to_message',
    'external_reply',
    'quote',
    'reply_to_story',
    'link_preview_options',
    'reply_markup',
  ],
  ...['entities', 'caption_entities', 'suggested_post_info'],
])

/** Fields that tell of an event in the chat, rather than of a person's words. */
const events = new Set([
  ...[
    'managed_bot_created',
    'message_auto_delete_timer_changed',
    'pinned_message',
    'proximity_alert_triggered',
  ],
  ...['refunded_payment', 'boost_added', 'write_access_allowed', 'chat_background_set', 'gift_upgrade_sent'],
  ...['giveaway_created', 'giveaway_completed', 'paid_message_price_changed', 'direct_message_price_changed'],
])
const eventsOf =
  /^(new_chat|left_chat|chat_owner|community_chat|forum_topic|general_forum_topic|video_chat|voice_chat|suggested_post|checklist_tasks|poll_option)_/

/**
 * Names the kind of a content that cannot be shown. A kind that Telegram has added since is `unknown`: no content of a
 * person is left out.
 */
function unsupportedIn(message: Json): UnsupportedMessage | null {
  const known = others.find((other) => objectIn(message, other) !== null)
  if (known !== undefined) return { type: known, name: known }
  const fresh = Object.entries(message).find(
    ([name, value]) =>
      typeof value === 'object' &&
      value !== null &&
      !besides.has(name) &&
      !events.has(name) &&
      !eventsOf.test(name),
  )
  return fresh ? { type: 'unknown', name: cutText(fresh[0].toWellFormed(), longestKind) } : null
}

/** In UTF-16 units. */
const longestKind = 64
