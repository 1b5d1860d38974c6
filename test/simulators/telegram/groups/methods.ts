import type { Chat, ChatFullInfo, ChatMember, User } from '@grammyjs/types'
import { changeStanding } from '../people.ts'
import { badRequest } from '../refusal.ts'
import type { Call } from '../sending/sending.ts'
import { botsIn, changeMember, memberOf, peopleIn } from './members.ts'
import { isIn, type Right, rights, shown } from './roster.ts'

/* Methods by which bots see groups and change them. The words of refusals are those of TDLib and of Telegram's servers. */

type Administrator = Extract<ChatMember, { status: 'creator' | 'administrator' }>

export function getChat({ telegram, bot, parameters }: Call): ChatFullInfo {
  const chat = telegram.chats.find(parameters.raw('chat_id'))
  const standing = telegram.chats.standing(bot.user.id, chat)
  if (standing === 'unknown') throw badRequest('chat not found')
  // A public chat shows itself to bots that are not in it, and a group that has become a supergroup shows what it was.
  const isHidden = standing === 'not-member' && chat.type !== 'private' && chat.username === undefined
  if (isHidden || standing === 'kicked' || standing === 'deleted') telegram.chats.admit(bot.user.id, chat)
  const gifts = {
    unlimited_gifts: false,
    limited_gifts: false,
    unique_gifts: false,
    premium_subscription: false,
    gifts_from_channels: false,
  }
  const photo = telegram.pictures.of(bot.user.id, chat)
  const invite_link = telegram.roster.link(bot.user.id, chat)
  return {
    ...chat,
    ...{ accent_color_id: 0, max_reaction_count: 11, accepted_gift_types: gifts },
    ...(photo && { photo }),
    ...(invite_link !== undefined && { invite_link }),
  } as ChatFullInfo
}

/** Bots other than the one that asks are left out. */
export function getChatAdministrators(call: Call): Administrator[] {
  const { telegram, bot } = call
  const chat = groupOf(call)
  const people = [...telegram.roster.of(chat)].map(([id, member]) => shown(personOf(call, id), member))
  return [memberOf(telegram, bot, chat), ...people].filter(
    (member): member is Administrator => member.status === 'creator' || member.status === 'administrator',
  )
}

export function getChatMember(call: Call): ChatMember {
  const { telegram, bot } = call
  const chat = groupOf(call)
  const id = userIn(call)
  if (id === bot.user.id) return memberOf(telegram, bot, chat)
  return shown(personOf(call, id), telegram.roster.of(chat).get(id))
}

export function getChatMemberCount(call: Call): number {
  const chat = groupOf(call)
  return peopleIn(call.telegram, chat).length + botsIn(call.telegram, chat).length
}

export function setChatTitle(call: Call): true {
  const { telegram, parameters } = call
  const chat = groupOf(call)
  mustHave(call, chat, 'can_change_info', 'not enough rights to change chat title')
  const title = [...(parameters.text('title') ?? '').trim()].slice(0, 128).join('')
  if (title === '') throw badRequest("title can't be empty")
  if (chat.title === title) throw badRequest('CHAT_NOT_MODIFIED')
  telegram.chats.add({ ...chat, title } as Chat)
  telegram.changed()
  return true
}

export function setChatDescription(call: Call): true {
  const { telegram, parameters } = call
  const chat: Chat & { readonly description?: string } = groupOf(call)
  mustHave(call, chat, 'can_change_info', 'not enough rights to change chat description')
  const description = [...(parameters.text('description') ?? '')].slice(0, 255).join('')
  if ((chat.description ?? '') === description) throw badRequest('chat description is not modified')
  telegram.chats.add({ ...chat, description } as typeof chat)
  telegram.changed()
  return true
}

/** In a basic group, the person can come back at once. */
export function banChatMember(call: Call): true {
  const chat = groupOf(call)
  remove(call, chat, chat.type === 'group' ? 'left' : 'kicked')
  return true
}

/** Without `only_if_banned`, a person who is in the chat is removed, and may come back. */
export function unbanChatMember(call: Call): true {
  const { telegram, parameters } = call
  const chat = groupOf(call)
  if (chat.type === 'group') throw badRequest('method is available for supergroup and channel chats only')
  const before = telegram.roster.of(chat).get(userIn(call))
  if (parameters.flag('only_if_banned') && before?.status !== 'kicked') return true
  remove(call, chat, 'left')
  return true
}

function remove(call: Call, chat: Chat, status: 'left' | 'kicked'): void {
  const { telegram, bot } = call
  const id = userIn(call)
  if (id === bot.user.id) throw badRequest("can't restrict self")
  const user = personOf(call, id)
  const isBasic = chat.type === 'group'
  mustHave(
    call,
    chat,
    'can_restrict_members',
    isBasic
      ? 'need to be inviter of a user to kick it from a basic group'
      : 'not enough rights to restrict/unrestrict chat member',
  )
  const before = telegram.roster.of(chat).get(id)
  if (before?.status === 'creator') throw badRequest("can't remove chat owner")
  if (before?.status === 'administrator') throw badRequest('user is an administrator of the chat')
  if (before === undefined) throw badRequest(isBasic ? 'USER_NOT_PARTICIPANT' : 'PARTICIPANT_ID_INVALID')
  if (before.status !== status) changeMember(telegram, chat, { user, by: bot.user }, { status })
}

export function promoteChatMember(call: Call): true {
  const { telegram, bot, parameters } = call
  const chat = groupOf(call)
  if (chat.type === 'group') throw badRequest('method is available for supergroup and channel chats only')
  const id = userIn(call)
  if (id === bot.user.id) throw badRequest("can't promote self")
  const user = personOf(call, id)
  const held = mustHave(call, chat, 'can_promote_members', 'not enough rights')
  const before = telegram.roster.of(chat).get(id)
  if (before?.status === 'creator') throw badRequest("can't demote chat creator")
  if (before?.status === 'kicked') throw badRequest('USER_KICKED')
  if (!isIn(before)) throw badRequest('USER_NOT_MUTUAL_CONTACT')
  const wanted = rights.filter((right) => parameters.flag(right))
  if (before?.status === 'administrator' && before.promotedBy !== bot.user.id)
    throw badRequest('CHAT_ADMIN_REQUIRED')
  if (wanted.some((right) => !held.includes(right))) throw badRequest('RIGHT_FORBIDDEN')
  const after =
    wanted.length > 0
      ? ({ status: 'administrator', rights: wanted, promotedBy: bot.user.id } as const)
      : ({ status: 'member' } as const)
  changeMember(telegram, chat, { user, by: bot.user }, after)
  return true
}

export function exportChatInviteLink(call: Call): string {
  const chat = groupOf(call)
  mustHave(call, chat, 'can_invite_users', 'not enough rights to manage chat invite link')
  return call.telegram.roster.newLink(call.bot.user.id, chat)
}

export function leaveChat(call: Call): true {
  const chat = groupOf(call)
  changeStanding(call.telegram, call.bot, chat, 'not-member', call.bot.user)
  return true
}

/** The group or channel that a call is about, which the bot is in. */
export function groupOf(
  { telegram, bot, parameters }: Call,
  otherwise = 'there are no administrators in the private chat',
): Chat & { readonly title: string } {
  const chat = telegram.chats.find(parameters.raw('chat_id'))
  const standing = telegram.chats.standing(bot.user.id, chat)
  if (standing !== 'muted') telegram.chats.admit(bot.user.id, chat)
  if (chat.type === 'private' || chat.title === undefined) throw badRequest(otherwise)
  return { ...chat, title: chat.title }
}

/** The rights of the bot, which must have this one. */
export function mustHave(
  { telegram, bot }: Call,
  chat: Chat,
  right: Right,
  otherwise: string,
): readonly Right[] {
  const held = telegram.chats.administrators.get(`${bot.user.id} ${chat.id}`)
  if (!held?.includes(right)) throw badRequest(otherwise)
  return held
}

export function userIn({ parameters }: Call): number {
  const id = parameters.integer('user_id', 0, [-(2 ** 52), 2 ** 52])
  if (id <= 0) throw badRequest('invalid user_id specified')
  return id
}

export function personOf({ telegram }: Call, id: number): User {
  const user = telegram.chats.people.get(id)
  if (!user) throw badRequest('user not found')
  return user
}
