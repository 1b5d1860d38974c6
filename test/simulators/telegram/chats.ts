import type { Chat, Message, User } from '@grammyjs/types'
import type { Right } from './groups/roster.ts'
import { badRequest, forbidden, type Refusal } from './refusal.ts'

/**
 * Relation of a bot to a chat. `unknown`: the two never met. `never-started`: the bot has seen the person in a group only.
 * `muted`: the bot has no right to write.
 */
export type Standing =
  | 'open'
  | 'unknown'
  | 'never-started'
  | 'blocked'
  | 'deactivated'
  | 'not-member'
  | 'kicked'
  | 'muted'
  | 'deleted'

/** Files as Telegram shows them. */
export type FileKind = 'photo' | 'document' | 'audio' | 'voice' | 'video' | 'animation' | 'sticker'
export type ContentKind = 'location' | 'venue' | 'contact' | 'poll'
/** Changes of the message with this `message_id`. A reaction has its emoji as the text, or an empty one if it is taken back. */
export type ChangeKind = 'reaction' | 'edit' | 'deletion'

/** A button below a message: one that calls the bot back, or one that opens a page. */
export interface Key {
  readonly text: string
  readonly callback_data?: string
  readonly url?: string
}

/** A message of a bot, or a change of one, as the people in the chat see it. */
export interface Received {
  /** The id of the bot. */
  readonly bot: number
  readonly chat: number
  readonly message_id: number
  readonly date: number
  /** Milliseconds since 1970. */
  readonly at: number
  readonly kind: 'text' | FileKind | ContentKind | ChangeKind
  readonly text?: string
  readonly caption?: string
  readonly filename?: string
  readonly type?: string
  readonly size?: number
  readonly sha256?: string
  readonly reply_to?: number
  /** The topic of the group that it is in. */
  readonly thread?: number
  /** The rows of buttons below it. */
  readonly keyboard?: readonly (readonly Key[])[]
  /** The ids of the people whom the text links to. */
  readonly mentions?: readonly number[]
  /** The place, the person or the poll, by the schema of the Bot API. */
  readonly content?: object
  /** False while the answer was not sent whole: the bot cannot know that its message was taken. */
  answered: boolean
}

/** The messages of a chat, which counts its own. Each bot has its own private chat with a person. */
export class Conversation {
  readonly messages = new Map<number, Message>()
  readonly received: Received[] = []
  /** The topics of a group, by the id of the message that opened each. */
  readonly topics = new Map<number, { readonly name: string; isClosed: boolean }>()
  #last = 0

  nextId(): number {
    return ++this.#last
  }
}

export class Chats {
  readonly people = new Map<number, User>()
  /** The emojis that may be used for reactions in a chat, if its administrators have chosen some. */
  readonly allowedReactions = new Map<number, readonly string[]>()
  /** The rights of bots that are administrators, each as its id and that of the chat. */
  readonly administrators = new Map<string, readonly Right[]>()
  readonly #chats = new Map<number, Chat>()
  readonly #standings = new Map<string, Standing>()
  readonly #migrated = new Map<number, number>()
  readonly #conversations = new Map<string, Conversation>()

  add(chat: Chat): void {
    this.#chats.set(chat.id, chat)
  }

  /** The next id downwards that no chat has. */
  nextId(first: number): number {
    let id = first
    while (this.#chats.has(id)) id -= 1
    return id
  }

  get(id: number): Chat {
    const chat = this.#chats.get(id)
    if (!chat) throw badRequest('chat not found')
    return chat
  }

  /** The chat that a parameter `chat_id` names: an integer, or the `@name` of a public group or channel. */
  find(name: unknown): Chat {
    if (name === undefined || name === '') throw badRequest('chat_id is empty')
    if (typeof name === 'string' && name.startsWith('@')) {
      const wanted = name.slice(1).toLowerCase()
      const found = [...this.#chats.values()].find(
        ({ type, username }) => type !== 'private' && username?.toLowerCase() === wanted,
      )
      if (found) return found
      throw badRequest('chat not found')
    }
    const isInteger = typeof name === 'number' || (typeof name === 'string' && /^-?\d+$/.test(name))
    if (!isInteger || !Number.isSafeInteger(Number(name))) throw badRequest('chat not found')
    return this.get(Number(name))
  }

  standing(bot: number, chat: Chat): Standing {
    const known = this.#standings.get(`${bot} ${chat.id}`)
    if (known) return known
    return chat.type !== 'private' && chat.username !== undefined ? 'not-member' : 'unknown'
  }

  setStanding(bot: number, chat: Chat, standing: Standing): void {
    this.#standings.set(`${bot} ${chat.id}`, standing)
  }

  migrate(from: Chat, to: Chat): void {
    this.add(to)
    this.#migrated.set(from.id, to.id)
  }

  /** Throws unless the bot may write to the chat. The texts are those of tdlib/telegram-bot-api, Client.cpp. */
  admit(bot: number, chat: Chat): void {
    const migrated = this.#migrated.get(chat.id)
    if (migrated !== undefined) {
      const parameters = { migrate_to_chat_id: migrated }
      throw badRequest('group chat was upgraded to a supergroup chat', parameters)
    }
    const refusal = refusalFor(this.standing(bot, chat), chat)
    if (refusal) throw refusal
  }

  /** Returns the messages that bots have sent to all chats, chat by chat. */
  received(): Received[] {
    return [...this.#conversations.values()].flatMap(({ received }) => received)
  }

  conversation(bot: number, chat: Chat): Conversation {
    const key = chat.type === 'private' ? `${bot} ${chat.id}` : `${chat.id}`
    const conversation = this.#conversations.get(key) ?? new Conversation()
    this.#conversations.set(key, conversation)
    return conversation
  }
}

/** The part of a reply that holds the message replied to, which never holds another in turn. */
export function quote({ reply_to_message: _, ...message }: Message): Pick<Message, 'reply_to_message'> {
  return { reply_to_message: message as NonNullable<Message['reply_to_message']> }
}

function refusalFor(standing: Standing, chat: Chat): Refusal | undefined {
  const place = `${chat.type} chat`
  switch (standing) {
    case 'open':
      return undefined
    case 'unknown':
      return badRequest('chat not found')
    case 'never-started':
      return forbidden("bot can't initiate conversation with a user")
    case 'blocked':
      return forbidden('bot was blocked by the user')
    case 'deactivated':
      return forbidden('user is deactivated')
    case 'not-member':
      return forbidden(`bot is not a member of the ${place}`)
    case 'kicked':
      return forbidden(`bot was kicked from the ${place}`)
    case 'deleted':
      return forbidden('the group chat was deleted')
    case 'muted':
      return badRequest('not enough rights to send text messages to the chat')
  }
}
