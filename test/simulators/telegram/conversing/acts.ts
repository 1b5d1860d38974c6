import type { Chat, Message, PollAnswer, ReactionType, User } from '@grammyjs/types'
import { seenBy } from '../files.ts'
import { botOf, conversationOf } from '../people.ts'
import type { Bot, Telegram } from '../telegram.ts'
import type { NewUpdate } from '../update-queue.ts'
import { hasButton } from './taps.ts'

/** A person does something to a message. */
interface Act {
  /** Of the bot that is told. */
  readonly token: string
  readonly chat: number
  readonly message_id: number
  /** The person; in private chats, the one whose chat it is. */
  readonly from?: number
}

/** Acts of people besides writing, by `POST /control/<name>`. */
export const acts = {
  /**
   * Taps a button below a message, and returns the id of the query. A modified app may send data that no button has
   * (`forged`), and for a message that is gone Telegram tells only its number (`inaccessible`).
   */
  tap: (
    telegram: Telegram,
    act: Act & { readonly data: string; readonly forged?: true; readonly inaccessible?: true },
  ): string => {
    const { bot, chat, message, from } = placeOf(telegram, act)
    if (!act.forged && !hasButton(message, act.data)) throw new Error('The message has no such button.')
    const id = telegram.taps.begin(bot.user.id, telegram.now())
    const shown = act.inaccessible
      ? { chat, message_id: message.message_id, date: 0 as const }
      : seenBy(bot.user.id, message)
    const query = { id, from, message: shown, chat_instance: `${chat.id}`, data: act.data }
    bot.updates.push({ callback_query: query } as NewUpdate)
    return id
  },

  /** Returns the number of answers to a tap. Waits until there are at least `count`. */
  tapAnswers: async (telegram: Telegram, { id, count = 0 }: { id: string; count?: number }) => {
    await telegram.until(() => telegram.taps.answersTo(id) >= count)
    return telegram.taps.answersTo(id)
  },

  /** Votes in a poll, by the places of the answers; none takes the vote back. */
  vote: (telegram: Telegram, act: Act & { readonly options: readonly number[] }): void => {
    const { bot, message, from } = placeOf(telegram, act)
    const { poll } = message
    if (!poll || poll.is_anonymous) throw new Error('The message is no poll whose votes are told.')
    const poll_answer: PollAnswer = {
      poll_id: poll.id,
      user: from,
      option_ids: [...act.options],
      option_persistent_ids: act.options.map((option) => `p${option}`),
    }
    bot.updates.push({ poll_answer })
  },

  /** Reacts to a message; with no reaction, takes it back. Only administrators are told of those in groups. */
  react: (telegram: Telegram, act: Act & { readonly reactions: readonly ReactionType[] }): void => {
    const { bot, chat, message, from } = placeOf(telegram, act)
    if (chat.type !== 'private' && !telegram.chats.administrators.has(`${bot.user.id} ${chat.id}`)) return
    const about = { chat, message_id: message.message_id, user: from, date: telegram.date() }
    bot.updates.push({
      message_reaction: { ...about, old_reaction: [], new_reaction: [...act.reactions] },
    } as NewUpdate)
  },

  allowReactions: ({ chats }: Telegram, wish: { chat: number; emojis: readonly string[] }): void => {
    chats.allowedReactions.set(wish.chat, wish.emojis)
  },

  /** Deletes a message. Bots are not told. */
  erase: (telegram: Telegram, act: Act): void => {
    const { conversation, message } = placeOf(telegram, act)
    conversation.messages.delete(message.message_id)
  },

  /** Opens a topic in a group, and returns its id: that of the message that opens it. */
  createTopic: (
    telegram: Telegram,
    { chat, name }: { readonly chat: number; readonly name: string },
  ): number => {
    const conversation = conversationOf(telegram, telegram.chats.get(chat), undefined)
    const message_id = conversation.nextId()
    const opening = {
      message_id,
      chat: telegram.chats.get(chat),
      date: telegram.date(),
      message_thread_id: message_id,
    }
    const forum_topic_created = { name, icon_color: 7_322_096 as const }
    conversation.messages.set(message_id, {
      ...opening,
      is_topic_message: true,
      forum_topic_created,
    } as Message)
    conversation.topics.set(message_id, { name, isClosed: false })
    return message_id
  },

  closeTopic: (
    telegram: Telegram,
    { chat, topic }: { readonly chat: number; readonly topic: number },
  ): void => {
    const found = conversationOf(telegram, telegram.chats.get(chat), undefined).topics.get(topic)
    if (found) found.isClosed = true
  },
}

interface Place {
  readonly bot: Bot
  readonly chat: Chat
  readonly conversation: ReturnType<typeof conversationOf>
  readonly message: Message
  readonly from: User
}

function placeOf(telegram: Telegram, { token, chat: id, message_id, from }: Act): Place {
  const chat = telegram.chats.get(id)
  const bot = telegram.bot(token)
  const conversation = conversationOf(telegram, chat, botOf(telegram, chat, token))
  const message = conversation.messages.get(message_id)
  const person = telegram.chats.people.get(from ?? chat.id)
  if (!message || !person) throw new Error('There is no such message, or no such person.')
  return { bot, chat, conversation, message, from: person }
}
