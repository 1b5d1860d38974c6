import type { Chat, Message } from '@grammyjs/types'
import type { ChangeKind, Conversation } from '../chats.ts'
import { seenBy } from '../files.ts'
import { badRequest } from '../refusal.ts'
import { asKept, type Call } from '../sending/sending.ts'
import { reactionEmojis } from './reaction-emojis.ts'

/* Changes of messages by a bot, and its answers to taps. */

/** Seconds in which a bot can delete a message (core.telegram.org/bots/api#deletemessage). */
const deletable = 48 * 3600

export function setMessageReaction(call: Call): true {
  const { telegram, parameters } = call
  const place = placeOf(call)
  if (!place.message) throw badRequest('message to react not found')
  const reactions = parameters.json('reaction') ?? []
  if (!Array.isArray(reactions)) throw badRequest("can't parse reaction types JSON object")
  if (reactions.length > 1) throw badRequest('REACTIONS_TOO_MANY')
  const allowed = telegram.chats.allowedReactions.get(place.chat.id) ?? reactionEmojis
  const emojis = reactions.map(({ type, emoji }) => {
    if (type !== 'emoji' || !allowed.includes(emoji)) throw badRequest('REACTION_INVALID')
    return String(emoji)
  })
  note(call, place, 'reaction', emojis.join(''))
  return true
}

export function editMessageText(call: Call): Message {
  const text = asKept(call.parameters.text('text') ?? '')
  if (text === '') throw badRequest('message text is empty')
  if (text.length > 4096) throw badRequest('message is too long')
  return edited(call, 'text', text)
}

export function editMessageCaption(call: Call): Message {
  const caption = asKept(call.parameters.text('caption') ?? '')
  if (caption.length > 1024) throw badRequest('message caption is too long')
  return edited(call, 'caption', caption)
}

export function deleteMessage(call: Call): true {
  const { telegram, bot } = call
  const place = placeOf(call)
  const { conversation, message, chat } = place
  if (!message) throw badRequest('message to delete not found')
  const isOwn = message.from?.id === bot.user.id || message.sender_chat?.id === chat.id
  const isTooOld = telegram.date() - message.date > deletable
  if (isTooOld || (!isOwn && chat.type !== 'private'))
    throw badRequest("message can't be deleted for everyone")
  conversation.messages.delete(message.message_id)
  note(call, place, 'deletion')
  return true
}

export function answerCallbackQuery({ telegram, bot, parameters }: Call): true {
  telegram.taps.answer(bot.user.id, parameters.text('callback_query_id') ?? '', telegram.now())
  telegram.changed()
  return true
}

interface Place {
  readonly chat: Chat
  readonly conversation: Conversation
  readonly id: number
  readonly message: Message | undefined
}

function placeOf({ telegram, bot, parameters }: Call): Place {
  const chat = telegram.chats.find(parameters.raw('chat_id'))
  telegram.chats.admit(bot.user.id, chat)
  const conversation = telegram.chats.conversation(bot.user.id, chat)
  const id = parameters.integer('message_id', 0, [0, 2 ** 31])
  return { chat, conversation, id, message: conversation.messages.get(id) }
}

function edited(call: Call, part: 'text' | 'caption', words: string): Message {
  const { telegram, bot } = call
  const place = placeOf(call)
  const { message, conversation, id } = place
  if (!message) throw badRequest('message to edit not found')
  const isOwn = message.from?.id === bot.user.id || message.sender_chat?.id === place.chat.id
  if (!isOwn) throw badRequest("message can't be edited")
  if ((part === 'text') !== (message.text !== undefined))
    throw badRequest(`there is no ${part} in the message to edit`)
  if ((message[part] ?? '') === words)
    throw badRequest(
      'message is not modified: specified new message content and reply markup are exactly the same as a current content and ' +
        'reply markup of the message',
    )
  const changed = { ...message, [part]: words, edit_date: telegram.date() }
  conversation.messages.set(id, changed)
  note(call, place, 'edit', words)
  return seenBy(bot.user.id, changed)
}

function note(call: Call, { chat, conversation, id }: Place, kind: ChangeKind, text?: string): void {
  const { telegram, bot } = call
  call.taken = {
    ...{ bot: bot.user.id, chat: chat.id, message_id: id, date: telegram.date(), at: telegram.now() },
    ...{ kind, ...(text !== undefined && { text }), answered: false },
  }
  conversation.received.push(call.taken)
  telegram.changed()
}
