import type { Chat, ChatMember, User } from '@grammyjs/types'
import type { Standing } from '../chats.ts'
import type { Bot, Telegram } from '../telegram.ts'
import type { NewUpdate } from '../update-queue.ts'
import { isIn, type Member, shown } from './roster.ts'

/** A bot in a chat, by the schema of the Bot API. */
export function memberOf(telegram: Telegram, bot: Bot, chat: Chat): ChatMember {
  return memberAs(telegram, bot, chat, telegram.chats.standing(bot.user.id, chat))
}

export function memberAs(
  { chats }: Pick<Telegram, 'chats'>,
  { user }: Bot,
  chat: Chat,
  standing: Standing,
): ChatMember {
  switch (standing) {
    case 'blocked':
    case 'kicked':
      return { status: 'kicked', user, until_date: 0 }
    case 'not-member':
    case 'deleted':
    case 'unknown':
      return { status: 'left', user }
    default: {
      const rights = chats.administrators.get(`${user.id} ${chat.id}`)
      return shown(user, rights ? { status: 'administrator', rights } : { status: 'member' })
    }
  }
}

/** Bots that are in a chat. */
export function botsIn(telegram: Telegram, chat: Chat): Bot[] {
  return telegram.bots().filter(({ user }) => {
    const standing = telegram.chats.standing(user.id, chat)
    return standing === 'open' || standing === 'muted'
  })
}

/** Changes a person's part in a group. Bots that are administrators there, and ask for it, are told. */
export function changeMember(
  telegram: Telegram,
  chat: Chat,
  { user, by }: { readonly user: User; readonly by: User },
  after: Member,
  more: { readonly via_join_request?: true } = {},
): void {
  const members = telegram.roster.of(chat)
  const [old_chat_member, new_chat_member] = [shown(user, members.get(user.id)), shown(user, after)]
  members.set(user.id, after)
  const update = { chat, from: by, date: telegram.date(), old_chat_member, new_chat_member, ...more }
  for (const bot of botsIn(telegram, chat))
    if (telegram.chats.administrators.has(`${bot.user.id} ${chat.id}`))
      bot.updates.push({ chat_member: update } as NewUpdate)
  telegram.changed()
}

/** The people in a group who are there now. */
export function peopleIn(telegram: Telegram, chat: Chat): number[] {
  return [...telegram.roster.of(chat)].flatMap(([id, member]) => (isIn(member) ? [id] : []))
}
