import type { Chat, User } from '@grammyjs/types'
import { announce } from '../people.ts'
import { badRequest } from '../refusal.ts'
import type { Call } from '../sending/sending.ts'
import type { Telegram } from '../telegram.ts'
import { botsIn, changeMember } from './members.ts'
import { groupOf, mustHave, personOf, userIn } from './methods.ts'
import { isIn } from './roster.ts'

/*
 * People who ask to join. Bots are told of each who asks, and of no withdrawal, and no method lists them
 * (core.telegram.org/bots/api#chatjoinrequest). The words of refusals are those of TDLib (`can_manage_dialog_join_requests`) and of
 * core.telegram.org/method/messages.hideChatJoinRequest.
 */

/** A person follows a link of a group that lets people in. Only bots that may invite are told. */
export function ask(telegram: Telegram, chat: Chat, user: User): void {
  if (chat.type !== 'supergroup' && chat.type !== 'channel') throw new Error('The chat has no requests.')
  telegram.joinRequests.add(chat, user)
  const request = { chat, from: user, user_chat_id: user.id, date: telegram.date() }
  for (const bot of botsIn(telegram, chat))
    if (telegram.chats.administrators.get(`${bot.user.id} ${chat.id}`)?.includes('can_invite_users'))
      bot.updates.push({ chat_join_request: request })
  telegram.changed()
}

export function approveChatJoinRequest(call: Call): true {
  const { telegram, bot } = call
  const { chat, user } = taken(call)
  changeMember(telegram, chat, { user, by: bot.user }, { status: 'member' }, { via_join_request: true })
  announce(telegram, chat, user, { new_chat_members: [user] })
  return true
}

export function declineChatJoinRequest(call: Call): true {
  taken(call)
  return true
}

/** Ends a request, for an approval and for a refusal. */
function taken(call: Call): { chat: Chat; user: User } {
  const { telegram } = call
  const id = userIn(call)
  const chat = groupOf(call, "the chat can't have join requests")
  mustHave(call, chat, 'can_invite_users', 'not enough rights to manage chat join requests')
  const user = personOf(call, id)
  if (isIn(telegram.roster.of(chat).get(id))) throw badRequest('USER_ALREADY_PARTICIPANT')
  if (!telegram.joinRequests.take(chat, user)) throw badRequest('HIDE_REQUESTER_MISSING')
  return { chat, user }
}
