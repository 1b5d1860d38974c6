import type { Chat, Contact, Location, Message, MessageEntity, Update, User } from '@grammyjs/types'
import { type Conversation, quote, type Standing } from './chats.ts'
import { described, type StoredFile, seenBy } from './files.ts'
import { botsIn, memberAs, memberOf } from './groups/members.ts'
import { isIn, type Right } from './groups/roster.ts'
import { mediaContent } from './sending/sending.ts'
import type { Bot, Telegram } from './telegram.ts'
import type { NewUpdate } from './update-queue.ts'

/** A file that a person sends. `size` makes one of so many zero bytes. */
export interface SentFile {
  readonly base64?: string
  readonly size?: number
  readonly filename?: string
  readonly type?: string
}

/** A message that a person writes to a chat. */
export interface Writing {
  /** Of the bot, in private chats. */
  readonly token?: string
  readonly chat: number
  /** The person; in private chats, the one whose chat it is. Posts of channels have none. */
  readonly from?: number
  readonly text?: string
  readonly entities?: MessageEntity[]
  readonly photo?: SentFile
  readonly document?: SentFile
  readonly audio?: SentFile
  readonly voice?: SentFile
  readonly video?: SentFile
  readonly sticker?: SentFile & { readonly emoji?: string }
  readonly location?: Location
  readonly contact?: Contact
  /** Further fields of the message, by the schema of the Bot API or by one of the future. */
  readonly more?: object
  readonly caption?: string
  readonly caption_entities?: MessageEntity[]
  /** The id of a message in the chat. */
  readonly reply_to?: number
  /** The topic of the group. Every message in it seems to be a reply to the one that opened it. */
  readonly topic?: number
}

export interface Edit {
  readonly token?: string
  readonly chat: number
  readonly message_id: number
  readonly text?: string
  readonly caption?: string
}

/** Puts a message into a chat and tells the bots there. Who writes to a bot has started it. Returns the id. */
export function write(telegram: Telegram, writing: Writing): number {
  const chat = telegram.chats.get(writing.chat)
  const bot = botOf(telegram, chat, writing.token)
  if (bot && telegram.chats.standing(bot.user.id, chat) !== 'open')
    changeStanding(telegram, bot, chat, 'open')
  const conversation = conversationOf(telegram, chat, bot)
  const members = telegram.roster.of(chat)
  if (writing.from !== undefined && !isIn(members.get(writing.from)))
    members.set(writing.from, { status: 'member' })
  const { topic } = writing
  const about = writing.reply_to ?? topic
  const replied = about === undefined ? undefined : messageIn(conversation, about)
  const message: Message = {
    message_id: conversation.nextId(),
    ...authorOf(telegram, chat, writing.from),
    date: telegram.date(),
    chat,
    ...contentOf(telegram, writing),
    ...writing.more,
    ...(topic !== undefined && { message_thread_id: topic, is_topic_message: true as const }),
    ...(replied && quote(replied)),
  }
  conversation.messages.set(message.message_id, message)
  tell(telegram, chat, bot, message, chat.type === 'channel' ? 'channel_post' : 'message')
  return message.message_id
}

export function edit(telegram: Telegram, { token, chat: id, message_id, text, caption }: Edit): void {
  const chat = telegram.chats.get(id)
  const bot = botOf(telegram, chat, token)
  const conversation = conversationOf(telegram, chat, bot)
  const message = {
    ...messageIn(conversation, message_id),
    ...(text !== undefined && { text }),
    ...(caption !== undefined && { caption }),
    edit_date: telegram.date(),
  }
  conversation.messages.set(message_id, message)
  tell(telegram, chat, bot, message, chat.type === 'channel' ? 'edited_channel_post' : 'edited_message')
}

/**
 * A bot learns that it was blocked, kicked, promoted and the like, but not that a person is gone. Without `rights`, it is no
 * administrator any more.
 */
export function changeStanding(
  telegram: Telegram,
  bot: Bot,
  chat: Chat,
  standing: Standing,
  by?: User,
  rights: readonly Right[] | null = null,
): void {
  const { people, administrators } = telegram.chats
  const before = telegram.chats.standing(bot.user.id, chat)
  const old_chat_member = memberOf(telegram, bot, chat)
  telegram.chats.setStanding(bot.user.id, chat, standing)
  const place = `${bot.user.id} ${chat.id}`
  if (rights) administrators.set(place, rights)
  else administrators.delete(place)
  const new_chat_member = memberAs(telegram, bot, chat, standing)
  if (old_chat_member.status === new_chat_member.status || standing === 'deactivated') return
  if (before === 'unknown' && chat.type === 'private') return
  const from = by ?? people.get(chat.id) ?? people.values().next().value ?? bot.user
  bot.updates.push({
    my_chat_member: { chat, from, date: telegram.date(), old_chat_member, new_chat_member },
  })
}

/** Makes a supergroup of a group. Both chats say so, and the old one takes no more messages. */
export function migrate(telegram: Telegram, group: Chat, to: Chat.SupergroupChat): void {
  const { chats } = telegram
  chats.migrate(group, to)
  telegram.roster.move(group, to)
  const from = chats.people.values().next().value
  for (const bot of telegram.bots()) {
    if (chats.standing(bot.user.id, group) === 'open') chats.setStanding(bot.user.id, to, 'open')
  }
  announce(telegram, group, from, { migrate_to_chat_id: to.id })
  announce(telegram, to, from, { migrate_from_chat_id: group.id })
}

/** Puts a message of Telegram itself into a group, about what a person did there. */
export function announce(
  telegram: Telegram,
  chat: Chat,
  from: User | undefined,
  what: Partial<Message>,
): void {
  const conversation = conversationOf(telegram, chat, undefined)
  const message = { message_id: conversation.nextId(), ...(from && { from }), date: telegram.date(), chat }
  tell(
    telegram,
    chat,
    undefined,
    { ...message, ...what },
    chat.type === 'channel' ? 'channel_post' : 'message',
  )
}

/** The one bot of a private chat. */
export function botOf(telegram: Telegram, chat: Chat, token: string | undefined): Bot | undefined {
  if (chat.type !== 'private') return undefined
  if (token === undefined) throw new Error('A private chat needs the token of its bot.')
  return telegram.bot(token)
}

export function conversationOf(telegram: Telegram, chat: Chat, bot: Bot | undefined): Conversation {
  return telegram.chats.conversation(bot?.user.id ?? 0, chat)
}

function messageIn({ messages }: Conversation, id: number): Message {
  const message = messages.get(id)
  if (!message) throw new Error(`The chat has no message ${id}.`)
  return message
}

function authorOf(telegram: Telegram, chat: Chat, from: number | undefined): Partial<Message> {
  if (chat.type === 'channel') return { sender_chat: chat }
  const person = telegram.chats.people.get(from ?? chat.id)
  if (!person) throw new Error('Nobody has this id.')
  return { from: person }
}

/** Tells the bot, or every bot that is in the group. */
function tell(
  telegram: Telegram,
  chat: Chat,
  bot: Bot | undefined,
  message: Message,
  type: 'message' | 'edited_message' | 'channel_post' | 'edited_channel_post',
): void {
  for (const one of bot ? [bot] : botsIn(telegram, chat)) {
    const update: Pick<Update, typeof type> = { [type]: seenBy(one.user.id, message) }
    one.updates.push(update as NewUpdate)
  }
}

const defaults = {
  photo: { folder: 'photos', filename: 'photo.jpg', type: 'image/jpeg' },
  document: { folder: 'documents', filename: 'document.bin', type: 'application/octet-stream' },
  audio: { folder: 'music', filename: 'song.mp3', type: 'audio/mpeg' },
  voice: { folder: 'voice', filename: 'voice.oga', type: 'audio/ogg' },
  video: { folder: 'videos', filename: 'video.mp4', type: 'video/mp4' },
  sticker: { folder: 'stickers', filename: 'sticker.webp', type: 'image/webp' },
} as const

function stored(telegram: Telegram, kind: keyof typeof defaults, sent: SentFile): StoredFile {
  const { folder, filename, type } = defaults[kind]
  const bytes = sent.base64 === undefined ? Buffer.alloc(sent.size ?? 10) : Buffer.from(sent.base64, 'base64')
  return telegram.files.store(folder, sent.filename ?? filename, sent.type ?? type, bytes)
}

function contentOf(telegram: Telegram, writing: Writing): Partial<Message> {
  const { photo, document, audio, voice, video, sticker } = writing
  const content: Partial<Message> = {}
  for (const name of ['text', 'entities', 'caption', 'caption_entities', 'location', 'contact'] as const)
    if (writing[name] !== undefined) Object.assign(content, { [name]: writing[name] })
  if (document) Object.assign(content, mediaContent('document', stored(telegram, 'document', document)))
  if (audio) Object.assign(content, mediaContent('audio', stored(telegram, 'audio', audio)))
  if (voice) Object.assign(content, mediaContent('voice', stored(telegram, 'voice', voice)))
  if (video) Object.assign(content, mediaContent('video', stored(telegram, 'video', video)))
  if (photo) content.photo = photoSizes(telegram, photo)
  if (sticker) {
    const { emoji = '👍' } = sticker
    const look = { type: 'regular', width: 512, height: 512, is_animated: false, is_video: false } as const
    content.sticker = { ...described(stored(telegram, 'sticker', sticker)), ...look, emoji }
  }
  return content
}

/** A photo comes in several sizes, the largest last. */
function photoSizes(telegram: Telegram, photo: SentFile): NonNullable<Message['photo']> {
  const small = stored(telegram, 'photo', { base64: Buffer.from('a small copy').toString('base64') })
  const large = mediaContent('photo', stored(telegram, 'photo', photo)).photo ?? []
  return [{ ...described(small), width: 90, height: 67 }, ...large]
}
