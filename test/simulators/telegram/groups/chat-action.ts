import { badRequest } from '../refusal.ts'
import type { Call } from '../sending/sending.ts'

const chatActions: readonly unknown[] = [
  ...['typing', 'upload_photo', 'record_video', 'upload_video', 'record_voice', 'upload_voice'],
  ...['upload_document', 'choose_sticker', 'find_location', 'record_video_note', 'upload_video_note'],
]

export function sendChatAction({ telegram, bot, parameters }: Call): true {
  const chat = telegram.chats.find(parameters.raw('chat_id'))
  telegram.chats.admit(bot.user.id, chat)
  if (!chatActions.includes(parameters.text('action'))) throw badRequest('wrong parameter action in request')
  const thread = parameters.integer('message_thread_id', 0, [0, 2 ** 31])
  const { topics } = telegram.chats.conversation(bot.user.id, chat)
  if (thread !== 0 && !topics.has(thread)) throw badRequest('message thread not found')
  const seen = { bot: bot.user.id, chat: chat.id, at: telegram.now() }
  telegram.typings.push({ ...seen, ...(thread !== 0 && { thread }) })
  telegram.changed()
  return true
}
