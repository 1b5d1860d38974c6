import type { ApiMethods, Message } from '@grammyjs/types'
import {
  answerCallbackQuery,
  deleteMessage,
  editMessageCaption,
  editMessageText,
  setMessageReaction,
} from './conversing/changes.ts'
import { sendContact, sendLocation, sendPoll, sendVenue } from './conversing/contents.ts'
import { sendChatAction } from './groups/chat-action.ts'
import { approveChatJoinRequest, declineChatJoinRequest } from './groups/join-request-methods.ts'
import {
  banChatMember,
  exportChatInviteLink,
  getChat,
  getChatAdministrators,
  getChatMember,
  getChatMemberCount,
  leaveChat,
  promoteChatMember,
  setChatDescription,
  setChatTitle,
  unbanChatMember,
} from './groups/methods.ts'
import { badRequest, Refusal } from './refusal.ts'
import { type Call, sendMedia, sendMessage } from './sending/sending.ts'

/** Results of the methods here, by the schema of the Bot API. */
type Methods = ApiMethods<never>
type Supported =
  | 'getMe'
  | 'getUpdates'
  | 'setWebhook'
  | 'deleteWebhook'
  | 'getWebhookInfo'
  | 'sendMessage'
  | 'sendPhoto'
  | 'sendDocument'
  | 'sendAudio'
  | 'sendVoice'
  | 'sendVideo'
  | 'sendSticker'
  | 'sendLocation'
  | 'sendVenue'
  | 'sendContact'
  | 'sendPoll'
  | 'setMessageReaction'
  | 'editMessageText'
  | 'editMessageCaption'
  | 'deleteMessage'
  | 'answerCallbackQuery'
  | 'getFile'
  | 'getChat'
  | 'getChatAdministrators'
  | 'getChatMember'
  | 'getChatMemberCount'
  | 'setChatDescription'
  | 'setChatTitle'
  | 'banChatMember'
  | 'unbanChatMember'
  | 'promoteChatMember'
  | 'exportChatInviteLink'
  | 'approveChatJoinRequest'
  | 'declineChatJoinRequest'
  | 'leaveChat'
  | 'sendChatAction'

type Edited<Kind> = Message.CommonMessage & Kind & { edit_date: number }

type Handlers = {
  readonly [Name in Supported]: (call: Call) => ReturnType<Methods[Name]> | Promise<ReturnType<Methods[Name]>>
}

const handlers: Handlers = {
  getMe: ({ bot }) => bot.user,
  getUpdates,
  setWebhook,
  deleteWebhook: ({ telegram, bot, parameters }) => {
    telegram.setWebhook(bot, null)
    if (parameters.flag('drop_pending_updates')) bot.updates.confirm(bot.updates.nextId)
    return true
  },
  getWebhookInfo: ({ bot }) =>
    bot.webhook?.info() ?? {
      url: '',
      has_custom_certificate: false,
      pending_update_count: bot.updates.pending().length,
    },
  sendMessage,
  sendPhoto: (call) => sendMedia(call, 'photo') as Message.PhotoMessage,
  sendDocument: (call) => sendMedia(call, 'document') as Message.DocumentMessage,
  sendAudio: (call) => sendMedia(call, 'audio') as Message.AudioMessage,
  sendVoice: (call) => sendMedia(call, 'voice') as Message.VoiceMessage,
  sendVideo: (call) => sendMedia(call, 'video') as Message.VideoMessage,
  sendSticker: (call) => sendMedia(call, 'sticker') as Message.StickerMessage,
  sendLocation,
  sendVenue,
  sendContact,
  sendPoll,
  setMessageReaction,
  editMessageText: (call) => editMessageText(call) as Edited<Message.TextMessage>,
  editMessageCaption: (call) => editMessageCaption(call) as Edited<Message.CaptionableMessage>,
  deleteMessage,
  answerCallbackQuery,
  getFile: ({ telegram, bot, parameters }) => {
    const id = parameters.text('file_id')
    if (!id) throw badRequest('file_id not specified')
    return telegram.files.locate(bot.user.id, id, telegram.now())
  },
  getChat,
  getChatAdministrators,
  getChatMember,
  getChatMemberCount,
  setChatDescription,
  setChatTitle,
  banChatMember,
  unbanChatMember,
  promoteChatMember,
  exportChatInviteLink,
  approveChatJoinRequest,
  declineChatJoinRequest,
  leaveChat,
  sendChatAction,
}

const byName = new Map(
  Object.entries(handlers).map(([name, handler]) => [name.toLowerCase(), handler as (call: Call) => unknown]),
)

/** Carries out a method, by its name in any case. Throws a refusal. */
export async function carryOut(method: string, call: Call): Promise<unknown> {
  const handler = byName.get(method.toLowerCase())
  if (!handler) throw new Refusal(404, 'Not Found: method not found')
  return await handler(call)
}

function getUpdates({ bot, parameters, gone, again, atOnce }: Call) {
  const allowed = parameters.texts('allowed_updates')
  const poll = {
    offset: parameters.integer('offset', 0, [-(2 ** 31), 2 ** 31 - 1]),
    limit: parameters.integer('limit', 100, [1, 100]),
    timeout: atOnce ? 0 : parameters.integer('timeout', 0, [0, 50]),
  }
  if (bot.webhook)
    throw new Refusal(
      409,
      "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    )
  if (allowed) bot.updates.allowed = allowed
  return bot.updates.poll(poll, gone, again)
}

function setWebhook({ telegram, bot, parameters }: Call): true {
  const url = parameters.text('url') ?? ''
  const secret = parameters.text('secret_token')
  const allowed = parameters.texts('allowed_updates')
  if (secret !== undefined && !/^[\w-]{1,256}$/.test(secret))
    throw badRequest('secret token contains unallowed characters')
  if (url !== '') checkWebhookUrl(url)
  if (allowed) bot.updates.allowed = allowed
  if (parameters.flag('drop_pending_updates')) bot.updates.confirm(bot.updates.nextId)
  const maxConnections = parameters.integer('max_connections', 40, [1, 100])
  telegram.setWebhook(bot, url === '' ? null : { url, secret, maxConnections })
  return true
}

/** Telegram takes HTTPS on four ports only. On this machine any port will do, and HTTP, so that tests can listen. */
function checkWebhookUrl(text: string): void {
  const url = URL.parse(text)
  if (!url) throw badRequest('bad webhook: invalid URL specified')
  if (url.hostname === '127.0.0.1' || url.hostname === 'localhost') return
  if (url.protocol !== 'https:') throw badRequest('bad webhook: An HTTPS URL must be provided for webhook')
  if (!['', '80', '88', '8443'].includes(url.port))
    throw badRequest('bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443')
}
