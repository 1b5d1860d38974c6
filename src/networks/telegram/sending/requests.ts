import type { Interactive } from '../../../contract/resources/content.ts'
import type {
  FollowingMessage,
  FreeFormMessage,
  OutgoingContent,
  OutgoingFile,
  OutgoingMedia,
  TargetMessage,
} from '../../driver/message.ts'
import { vCardOf } from '../../kit/people/vcard.ts'
import type { ErrorCode } from '../codes.ts'
import { largestPhoto } from '../limits.ts'
import { placeOf } from '../message-id.ts'
import { contentFault } from './content-fault.ts'
import { mentionEntities } from './mentions.ts'
import { isRepresentable } from './text.ts'

/** A call of a method of the Bot API that sends a message, or changes one. */
export interface SendRequest {
  readonly method: string
  /** Values that are not texts are sent as JSON. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The file, and the field that has it. */
  readonly file?: { readonly name: string; readonly of: OutgoingFile }
}

const fieldOf = {
  sendPhoto: 'photo',
  sendDocument: 'document',
  sendAudio: 'audio',
  sendVoice: 'voice',
  sendVideo: 'video',
  sendSticker: 'sticker',
} as const
type MediaMethod = keyof typeof fieldOf

const withoutPreview = { link_preview_options: { is_disabled: true } }

/** Returns the request that sends a message, or the code of what Telegram cannot carry of it. */
export function requestFor(message: FreeFormMessage): SendRequest | ErrorCode {
  const fault = faultOf(message)
  if (fault !== null) return fault
  if ('target' in message) return followingRequest(message)
  const place = replyingFields(message)
  if (place === null) return 'target_unknown'
  const to = { chat_id: message.to, ...place }
  switch (message.kind) {
    case 'text': {
      const entities = mentionEntities(message.text, message.mentions)
      const marked = entities.length > 0 && { entities }
      return { method: 'sendMessage', fields: { ...to, text: message.text, ...marked, ...withoutPreview } }
    }
    case 'location':
    case 'contacts':
    case 'interactive':
    case 'poll':
      return contentRequest(message, to)
    default:
      return mediaRequest(message, to, methodFor(message))
  }
}

/** The same file as a document. */
export function asDocument(message: OutgoingMedia): SendRequest {
  return mediaRequest(message, { chat_id: message.to, ...replyingFields(message) }, 'sendDocument')
}

function faultOf(message: FreeFormMessage): ErrorCode | null {
  const texts =
    'text' in message
      ? [message.text]
      : 'file' in message
        ? [message.caption ?? '', message.file.filename]
        : []
  if (!texts.every(isRepresentable)) return 'text_not_representable'
  if ('file' in message && message.file.size === 0) return 'file_empty'
  const isContent = message.kind === 'location' || message.kind === 'contacts'
  return isContent && contentFault(message) !== null ? 'content_not_representable' : null
}

/** An answer goes into the topic of the message that it answers. Null if Telegram cannot know that message. */
function replyingFields({
  to,
  replyTo,
  topic = replyTo?.topic ?? undefined,
}: {
  readonly to: string
  readonly replyTo?: TargetMessage
  readonly topic?: string
}) {
  const thread = Number(topic)
  const placed = topic !== undefined && Number.isSafeInteger(thread) && { message_thread_id: thread }
  if (!replyTo) return { ...placed }
  const place = placeOf(replyTo.network_message_id)
  // The messages of a group stay behind when it becomes a supergroup. Names are those of groups that do not become others.
  if (!place || (place.chat !== to && !to.startsWith('@'))) return null
  return { reply_parameters: { message_id: place.number, allow_sending_without_reply: false }, ...placed }
}

function mediaRequest(message: OutgoingMedia, to: object, method: MediaMethod): SendRequest {
  const { caption, kind, mentions, file } = message
  const entities = mentionEntities(caption ?? '', mentions)
  const fields = {
    ...to,
    ...(caption !== null && caption !== '' && { caption }),
    ...(entities.length > 0 && { caption_entities: entities }),
    // Telegram would make a video or a song of some documents.
    ...(kind === 'document' && { disable_content_type_detection: true }),
    ...(method === 'sendVideo' && { supports_streaming: true }),
  }
  return { method, fields, file: { name: fieldOf[method], of: file } }
}

/** The types of images that stay as they are as photos; others lose their motion, or are refused. */
const photoTypes = new Set(['image/jpeg', 'image/png', 'image/webp'])

function methodFor({ kind, voice, file }: OutgoingMedia): MediaMethod {
  switch (kind) {
    case 'audio':
      return voice ? 'sendVoice' : 'sendAudio'
    case 'sticker':
      return 'sendSticker'
    case 'video':
      // Telegram's apps play no others (https://core.telegram.org/bots/api#sendvideo).
      return file.mime_type === 'video/mp4' ? 'sendVideo' : 'sendDocument'
    case 'image':
      return photoTypes.has(file.mime_type) && file.size <= largestPhoto ? 'sendPhoto' : 'sendDocument'
    default:
      return 'sendDocument'
  }
}

function contentRequest(message: OutgoingContent, to: object): SendRequest {
  switch (message.kind) {
    case 'location': {
      const { latitude, longitude, name: title, address } = message.location
      const place = { ...to, latitude, longitude }
      if (title === null || address === null) return { method: 'sendLocation', fields: place }
      return { method: 'sendVenue', fields: { ...place, title, address } }
    }
    case 'contacts': {
      const [card] = message.contacts
      const person = card && { phone_number: card.phones[0], first_name: card.name, vcard: vCardOf(card) }
      return { method: 'sendContact', fields: { ...to, ...person } }
    }
    case 'interactive': {
      const { body: text } = message.interactive
      const reply_markup = { inline_keyboard: keyboardFor(message.interactive) }
      return { method: 'sendMessage', fields: { ...to, text, reply_markup, ...withoutPreview } }
    }
    case 'poll': {
      const { question, options, multiple_answers } = message.poll
      const poll = {
        question,
        options: options.map((text) => ({ text })),
        allows_multiple_answers: multiple_answers,
      }
      // Telegram tells bots of votes only in polls that show who voted.
      return { method: 'sendPoll', fields: { ...to, ...poll, is_anonymous: false } }
    }
  }
}

/** A row for each button: words that share a row are cut. */
function keyboardFor({ buttons = [], url_button: page }: Interactive) {
  return [
    ...buttons.map(({ id, title }) => [{ text: title, callback_data: id }]),
    ...(page ? [[{ text: page.title, url: page.url }]] : []),
  ]
}

function followingRequest(message: FollowingMessage): SendRequest | ErrorCode {
  const place = placeOf(message.target.network_message_id)
  if (!place) return 'target_unknown'
  const target = { chat_id: place.chat, message_id: place.number }
  switch (message.kind) {
    case 'reaction': {
      // Telegram's own have no variation selectors (https://core.telegram.org/bots/api#reactiontypeemoji).
      const emoji = message.emoji?.replaceAll('\ufe0f', '')
      const reaction = emoji === undefined ? [] : [{ type: 'emoji', emoji }]
      return { method: 'setMessageReaction', fields: { ...target, reaction } }
    }
    case 'correction': {
      const { text } = message
      return message.target.kind === 'text'
        ? { method: 'editMessageText', fields: { ...target, text, ...withoutPreview } }
        : { method: 'editMessageCaption', fields: { ...target, caption: text } }
    }
    case 'retraction':
      return { method: 'deleteMessage', fields: target }
  }
}
