import type { Chat, InlineKeyboardButton, Message } from '@grammyjs/types'
import { type Conversation, type FileKind, quote, type Received } from '../chats.ts'
import { keyboardIn } from '../conversing/keyboard.ts'
import { mentionsIn } from '../conversing/mentions.ts'
import { described, type StoredFile, seenBy } from '../files.ts'
import type { CallParameters } from '../parameters.ts'
import { badRequest, tooManyRequests } from '../refusal.ts'
import type { Bot, Telegram } from '../telegram.ts'
import { type ImageSize, imageSize } from './image-size.ts'

/** One call of a method by a bot. */
export interface Call {
  readonly telegram: Telegram
  readonly bot: Bot
  readonly parameters: CallParameters
  /** Aborts when the bot has gone before its answer. */
  readonly gone: AbortSignal
  /** True if updates that were delivered come once more. */
  readonly again: boolean
  /** A poll is not held. */
  readonly atOnce: boolean
  /** The message that was taken. */
  taken?: Received
}

type Content = Pick<
  Message,
  'text' | 'entities' | 'caption' | FileKind | 'location' | 'venue' | 'contact' | 'poll'
>

const longestText = 4096
const longestCaption = 1024
const largestPhoto = 10 * 1024 * 1024
const folders = {
  photo: 'photos',
  document: 'documents',
  audio: 'music',
  voice: 'voice',
  video: 'videos',
  animation: 'animations',
  sticker: 'stickers',
} as const

export function sendMessage(call: Call): Message.TextMessage {
  rejectMarkup(call.parameters)
  const text = asKept(call.parameters.text('text') ?? '')
  if (text === '') throw badRequest('message text is empty')
  // In UTF-16 code units, which is the strictest reading of "characters".
  if (text.length > longestText) throw badRequest('message is too long')
  const mentions = mentionsIn(call.telegram.chats.people, call.parameters, 'entities')
  return take(call, { kind: 'text', text, ...mentions }, () => ({ text })) as Message.TextMessage
}

/** sendPhoto, sendDocument, sendAudio, sendVoice, sendVideo and sendSticker. */
export function sendMedia(call: Call, wanted: FileKind): Message {
  rejectMarkup(call.parameters)
  const caption = asKept(call.parameters.text('caption') ?? '')
  if (caption.length > longestCaption) throw badRequest('message caption is too long')
  const { file, sha256 } = fileOf(call, wanted)
  const size = wanted === 'photo' ? photoSize(file) : undefined
  const kind = kindAs(wanted, file)
  const captioned = caption === '' ? {} : { caption }
  const { name: filename, type } = file
  const seen = {
    ...{ kind, ...captioned, filename, type, size: file.bytes.length },
    ...(sha256 && { sha256 }),
    ...mentionsIn(call.telegram.chats.people, call.parameters, 'caption_entities'),
  }
  return take(call, seen, () => ({ ...mediaContent(kind, file, size), ...captioned }))
}

/** Returns the fields with which a message describes its file. */
export function mediaContent(kind: FileKind, file: StoredFile, size?: ImageSize): Content {
  const common = described(file)
  const named = { ...common, file_name: file.name, mime_type: file.type }
  switch (kind) {
    case 'photo':
      return { photo: [{ ...common, width: size?.width ?? 800, height: size?.height ?? 600 }] }
    case 'document':
      return { document: named }
    case 'audio':
      return { audio: { ...named, duration: 3 } }
    case 'voice':
      return { voice: { ...common, mime_type: file.type, duration: 3 } }
    case 'video':
      return { video: { ...named, duration: 3, width: 640, height: 480 } }
    case 'animation':
      // It comes as a document, too, for bots that are older.
      return { animation: { ...named, duration: 3, width: 640, height: 480 }, document: named }
    case 'sticker': {
      const look = { type: 'regular', width: 512, height: 512, is_animated: false, is_video: false } as const
      return { sticker: { ...common, ...look } }
    }
  }
}

/** Telegram shows a file that is not of the kind as another kind. */
function kindAs(wanted: FileKind, file: StoredFile): FileKind {
  const start = file.bytes.toString('latin1', 0, 16)
  if (wanted === 'voice') return isVoice(file) ? 'voice' : 'audio'
  if (wanted === 'video') {
    const isSilent = file.bytes.includes('without sound')
    return start.slice(4, 8) === 'ftyp' ? (isSilent ? 'animation' : 'video') : 'document'
  }
  if (wanted === 'sticker') return /^RIFF....WEBP/s.test(start) ? 'sticker' : 'document'
  return wanted
}

function rejectMarkup(parameters: CallParameters): void {
  if (parameters.text('parse_mode')) throw badRequest('unsupported parse_mode')
}

/** Texts lose control characters and the space around them (TDLib, `clean_input_string` and `fix_formatted_text`). */
export function asKept(text: string): string {
  if (!text.isWellFormed()) throw badRequest('strings must be encoded in UTF-8')
  const cleaned = text.replaceAll('\r', '').replaceAll(/[^\P{Cc}\n\x7f-\x9f]/gu, ' ')
  return cleaned.replaceAll(/[\u2028-\u202e]/g, '').trim()
}

function fileOf({ telegram, bot, parameters }: Call, kind: FileKind): { file: StoredFile; sha256?: string } {
  const upload = parameters.upload(kind)
  if (upload) {
    const { filename, type, bytes, sha256 } = upload
    if (bytes.length === 0) throw badRequest('file must be non-empty')
    return { file: telegram.files.store(folders[kind], filename, type, bytes), sha256 }
  }
  const named = parameters.text(kind)
  if (!named) throw badRequest(`there is no ${kind} in the request`)
  if (/^https?:\/\//i.test(named)) throw badRequest('failed to get HTTP URL content')
  const file = telegram.files.find(bot.user.id, named)
  if (!file) throw badRequest('wrong file identifier/HTTP URL specified')
  return { file }
}

function photoSize({ bytes }: StoredFile): ImageSize {
  if (bytes.length > largestPhoto)
    throw badRequest(
      `file of size ${bytes.length} bytes is too big for a photo; the maximum size is ${largestPhoto} bytes`,
    )
  const size = imageSize(bytes)
  if (!size) throw badRequest('IMAGE_PROCESS_FAILED')
  const { width, height } = size
  const isFit = width + height <= 10_000 && Math.max(width, height) <= 20 * Math.min(width, height)
  if (!isFit) throw badRequest('PHOTO_INVALID_DIMENSIONS')
  return size
}

/** Ogg with Opus, MP3 and M4A are voice notes; everything else arrives as audio (core.telegram.org/bots/api, sendVoice). */
function isVoice({ bytes }: StoredFile): boolean {
  const start = bytes.toString('latin1', 0, 64)
  return (
    (start.startsWith('OggS') && start.includes('OpusHead')) ||
    /^(ID3|\xff[\xf2\xf3\xfb]|.{4}ftypM4A)/s.test(start)
  )
}

/** Puts a message into its chat, if the bot may write there now. */
export function take(
  call: Call,
  seen: Pick<Received, 'kind'> & Partial<Received>,
  content: () => Content,
): Message {
  const { telegram, bot, parameters } = call
  const { chats, rates } = telegram
  const chat = chats.find(parameters.raw('chat_id'))
  chats.admit(bot.user.id, chat)
  const conversation = chats.conversation(bot.user.id, chat)
  const replied = repliedTo(parameters, conversation.messages)
  const thread = threadIn(parameters, conversation)
  const keyboard = keyboardIn(parameters)
  const isGroup = chat.type === 'group' || chat.type === 'supergroup'
  const wait = rates.take(telegram.now(), bot.user.id, chat.id, isGroup)
  if (wait > 0) throw tooManyRequests(wait)

  const message: Message = {
    message_id: conversation.nextId(),
    ...authorOf(bot, chat),
    date: telegram.date(),
    chat,
    ...content(),
    ...(replied && quote(replied)),
    ...(thread !== undefined && { message_thread_id: thread, is_topic_message: true }),
    ...(keyboard && { reply_markup: { inline_keyboard: keyboard as InlineKeyboardButton[][] } }),
  }
  conversation.messages.set(message.message_id, message)
  const { message_id, date } = message
  const reply = {
    ...(replied && { reply_to: replied.message_id }),
    ...(thread !== undefined && { thread }),
    ...(keyboard && { keyboard }),
  }
  const at = telegram.now()
  call.taken = { bot: bot.user.id, chat: chat.id, message_id, date, at, ...seen, ...reply, answered: false }
  conversation.received.push(call.taken)
  telegram.changed()
  return seenBy(bot.user.id, message)
}

/** The topic that a message is for. One that names none is in the topic "General", also if it replies to one in a topic. */
function threadIn(parameters: CallParameters, { topics }: Conversation): number | undefined {
  const thread = parameters.integer('message_thread_id', 0, [0, 2 ** 31])
  if (thread === 0) return undefined
  const topic = topics.get(thread)
  if (!topic) throw badRequest('message thread not found')
  if (topic.isClosed) throw badRequest('TOPIC_CLOSED')
  return thread
}

function authorOf({ user }: Bot, chat: Chat): Pick<Message, 'from' | 'sender_chat'> {
  const { id, is_bot, first_name, username } = user
  return chat.type === 'channel' ? { sender_chat: chat } : { from: { id, is_bot, first_name, username } }
}

/** The message that is replied to, by `reply_parameters` or by the older `reply_to_message_id`. */
function repliedTo(parameters: CallParameters, messages: ReadonlyMap<number, Message>): Message | undefined {
  const given = parameters.json('reply_parameters') ?? {}
  const id =
    'message_id' in given ? given.message_id : parameters.integer('reply_to_message_id', 0, [0, 2 ** 31])
  if (id === 0) return undefined
  if (typeof id !== 'number') throw badRequest('parameter "message_id" has a wrong type')
  const message = messages.get(id)
  const isOptional =
    ('allow_sending_without_reply' in given && given.allow_sending_without_reply === true) ||
    parameters.flag('allow_sending_without_reply')
  if (!message && !isOptional) throw badRequest('message to be replied not found')
  return message
}
