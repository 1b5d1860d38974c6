import type { MessageReceived } from '../../driver/observation.ts'
import { integerIn, type Json, objectIn, objectsIn, textIn } from '../../kit/json.ts'
import { ownCopy } from '../../kit/received-text.ts'
import { messageId, placeOf } from '../message-id.ts'
import { isPollId, type KnownPolls } from '../polls.ts'
import { authorIn, chatIn } from './people.ts'
import { timeOf } from './time.ts'
import { topicIn } from './topic.ts'

/*
 * What people do to messages instead of writing one. None of it has a number in its chat, so each gets an id by what Telegram
 * numbers: its query, or its update.
 */

/** Returns the id of the tap in an update, by which it is answered; null if there is none. */
export function tapIn(update: Json): string | null {
  const id = textIn(objectIn(update, 'callback_query') ?? {}, 'id')
  return id !== null && /^[\w-]{1,64}$/.test(id) ? id : null
}

/**
 * A tap on a button below a message of the bot (https://core.telegram.org/bots/api#callbackquery). For messages that Telegram no
 * longer shows to bots, the words on the button are not known.
 */
export function tapped(update: Json, now: number): MessageReceived | null {
  const query = objectIn(update, 'callback_query') ?? {}
  const [id, author] = [tapIn(update), authorIn(query, ['from'])]
  if (id === null || !author) return null
  const message = objectIn(query, 'message') ?? {}
  const number = integerIn(message, 'message_id')
  const chat = chatIn(message, 'chat')
  const data = textIn(query, 'data')
  const topic = topicIn(message)
  return {
    kind: 'message-received',
    network_message_id: `tap:${id}`,
    ...{ from: author.from, conversation: chat ?? author.from, at: now, text: null, file: null },
    ...(data === null && {
      unsupported: { type: 'game', name: textIn(query, 'game_short_name')?.slice(0, 64) ?? null },
    }),
    content: ownCopy({
      sender: author.sender,
      ...(topic && { topic }),
      ...(data !== null && { button_reply: { id: data, title: titleOf(message, data), payload: null } }),
    }),
    ...(chat !== null &&
      number !== null && { relation: { type: 'reply', message: messageId(chat, number) } as const }),
  }
}

function titleOf(message: Json, data: string): string {
  const rows = objectIn(message, 'reply_markup')?.inline_keyboard
  const keys = (Array.isArray(rows) ? rows : []).flatMap((row) => objectsIn({ row }, 'row'))
  const key = keys.find((each) => each.callback_data === data)
  return (key && textIn(key, 'text')) ?? data
}

/** Returns the id of the poll in whose answer an update is; null if there is none. */
export function pollOf(update: Json): string | null {
  const id = textIn(objectIn(update, 'poll_answer') ?? {}, 'poll_id')
  return id !== null && isPollId(id) ? id : null
}

/**
 * A vote in a poll of the bot (https://core.telegram.org/bots/api#pollanswer), which names neither the chat nor the words of the
 * answers.
 */
export function voted(update: Json, polls: KnownPolls, now: number): MessageReceived | null {
  const answer = objectIn(update, 'poll_answer') ?? {}
  const id = pollOf(update)
  const author = authorIn(answer, ['voter_chat', 'user'])
  const number = integerIn(update, 'update_id')
  if (id === null || !author || number === null) return null
  const poll = polls.get(id)
  const options = Array.isArray(answer.option_ids) ? answer.option_ids : []
  const chosen = poll?.options.filter((_, place) => options.includes(place)) ?? []
  return {
    kind: 'message-received',
    network_message_id: `vote:${id}:${author.from}:${number}`,
    from: author.from,
    conversation: (poll && groupOf(poll.message)) ?? author.from,
    ...{ at: now, text: null, file: null },
    content: ownCopy({ sender: author.sender, ...(poll && { poll_vote: { options: chosen } }) }),
    ...(poll
      ? { relation: { type: 'reply', message: poll.message } as const }
      : { unsupported: { type: 'poll_answer', name: 'poll_answer' } }),
  }
}

/** The group or channel that a message is in: they have negative ids. A poll in a private chat may be forwarded to other people. */
function groupOf(message: string): string | null {
  const chat = placeOf(message)?.chat
  return chat?.startsWith('-') ? chat : null
}

/** The most reactions of one person to one message that are shown; Telegram allows three. */
const maxReactions = 16

/** All reactions that a person now gives to a message (https://core.telegram.org/bots/api#messagereactionupdated). */
export function reacted(update: Json, now: number): MessageReceived | null {
  const reaction = objectIn(update, 'message_reaction') ?? {}
  const chat = chatIn(reaction, 'chat')
  const message = integerIn(reaction, 'message_id')
  const author = authorIn(reaction, ['actor_chat', 'user'])
  const number = integerIn(update, 'update_id')
  if (chat === null || message === null || !author || number === null) return null
  const given = objectsIn(reaction, 'new_reaction').slice(0, maxReactions)
  const emojis = given.map(emojiOf).filter((emoji) => emoji !== null)
  // An emoji of a person's own design is a picture, of which Telegram tells the number only.
  const isPicture = given.length > 0 && emojis.length === 0
  return {
    kind: 'message-received',
    network_message_id: `${messageId(chat, message)}:r${number}`,
    ...{ from: author.from, conversation: chat, at: timeOf(reaction, ['date'], now) },
    ...{ text: isPicture ? null : emojis.join(''), file: null },
    ...(isPicture && { unsupported: { type: 'custom_emoji', name: 'custom_emoji' } }),
    content: ownCopy({ sender: author.sender }),
    relation: { type: 'reaction', message: messageId(chat, message) },
  }
}

function emojiOf(reaction: Json): string | null {
  if (reaction.type === 'paid') return '⭐'
  return reaction.type === 'emoji' ? (textIn(reaction, 'emoji')?.slice(0, 64) ?? null) : null
}
