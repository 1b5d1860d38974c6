import type { Chat, Message, User } from '@grammyjs/types'
import { announce, changeStanding } from '../people.ts'
import type { Telegram } from '../telegram.ts'
import { ask } from './join-request-methods.ts'
import { changeMember } from './members.ts'
import { type Member, type Right, rights } from './roster.ts'

interface InGroup {
  readonly chat: number
  /** The person who does it. */
  readonly from: number
}

interface OfMember extends InGroup {
  readonly member: number
}

/** Acts of people in groups, by `POST /control/<name>`. Every one of them leaves a message of Telegram's in the group, except promotions. */
export const groupActs = {
  /** A person joins, or is added by another. */
  join: (telegram: Telegram, { chat: id, from, member }: OfMember): void => {
    const { chat, by, user } = partiesOf(telegram, { chat: id, from, member })
    telegram.joinRequests.take(chat, user)
    changeMember(telegram, chat, { user, by }, { status: 'member' })
    announce(telegram, chat, by, { new_chat_members: [user] })
  },

  /** A person asks to join, or no longer does, of which no bot is told. */
  ask: (telegram: Telegram, { chat, from }: InGroup): void => {
    const parties = partiesOf(telegram, { chat, from, member: from })
    ask(telegram, parties.chat, parties.user)
  },
  withdraw: (telegram: Telegram, { chat, from }: InGroup): boolean => {
    const parties = partiesOf(telegram, { chat, from, member: from })
    return telegram.joinRequests.take(parties.chat, parties.user)
  },

  /** A person leaves, or is removed by another. */
  part: (telegram: Telegram, { chat: id, from, member }: OfMember): void => {
    const { chat, by, user } = partiesOf(telegram, { chat: id, from, member })
    changeMember(telegram, chat, { user, by }, { status: by.id === user.id ? 'left' : 'kicked' })
    announce(telegram, chat, by, { left_chat_member: user })
  },

  /** A person becomes the owner, an administrator, or a member again. */
  appoint: (
    telegram: Telegram,
    { status, isAnonymous, ...of }: OfMember & Pick<Member, 'status' | 'isAnonymous'>,
  ): void => {
    const { chat, by, user } = partiesOf(telegram, of)
    const held =
      status === 'administrator' ? { rights: rights.filter((right) => right !== 'can_promote_members') } : {}
    changeMember(telegram, chat, { user, by }, { status, ...held, ...(isAnonymous && { isAnonymous }) })
  },

  rename: (telegram: Telegram, { chat: id, from, title }: InGroup & { readonly title: string }): void => {
    const { chat, by } = partiesOf(telegram, { chat: id, from, member: from })
    const renamed = { ...chat, title } as Chat
    telegram.chats.add(renamed)
    announce(telegram, renamed, by, { new_chat_title: title })
  },

  /** A person adds the bot to a group, or removes it. The bot is told twice: of its standing, and by a message if it is still there. */
  bring: (telegram: Telegram, { chat: id, from, token }: InGroup & { readonly token: string }): void => {
    const { chat, by } = partiesOf(telegram, { chat: id, from, member: from })
    const bot = telegram.bot(token)
    changeStanding(telegram, bot, chat, 'open', by)
    announce(telegram, chat, by, { new_chat_members: [bot.user] })
  },

  /** Makes the bot an administrator of a group; by default with all rights. */
  promote: (
    telegram: Telegram,
    wish: { readonly token: string; readonly chat: number; readonly rights?: readonly Right[] | null },
  ): void => {
    const bot = telegram.bot(wish.token)
    const chat = telegram.chats.get(wish.chat)
    changeStanding(telegram, bot, chat, 'open', undefined, wish.rights === undefined ? rights : wish.rights)
  },

  /** Gives a person or a group a picture; none takes it away. `smallKey` and `bigKey` are the bytes of its two sizes. */
  setPicture: (
    telegram: Telegram,
    { chat: id, small, big }: { readonly chat: number; readonly small?: string; readonly big?: string },
  ): void => {
    const store = (base64: string) =>
      telegram.files.store('profile_photos', 'photo.jpg', 'image/jpeg', Buffer.from(base64, 'base64'))
    const picture = small !== undefined && big !== undefined ? { small: store(small), big: store(big) } : null
    telegram.pictures.set(telegram.chats.get(id), picture)
  },

  /** Returns the chats in which bots showed that they write. Waits until there are at least `count`. */
  typings: async (
    telegram: Telegram,
    { token, count = 0 }: { readonly token: string; readonly count?: number },
  ) => {
    const { id } = telegram.bot(token).user
    const seen = () => telegram.typings.filter(({ bot }) => bot === id)
    await telegram.until(() => seen().length >= count)
    return seen()
  },

  isValidLink: ({ roster }: Telegram, { link }: { readonly link: string }): boolean => roster.isValid(link),

  /** Returns a message of Telegram's, or of a person, with fields of any kind. */
  announce: (
    telegram: Telegram,
    { chat, from, what }: InGroup & { readonly what: Partial<Message> },
  ): void => {
    const { by, chat: group } = partiesOf(telegram, { chat, from, member: from })
    announce(telegram, group, by, what)
  },
}

function partiesOf(telegram: Telegram, { chat, from, member }: OfMember) {
  return { chat: telegram.chats.get(chat), by: personOf(telegram, from), user: personOf(telegram, member) }
}

function personOf({ chats }: Telegram, id: number): User {
  const user = chats.people.get(id)
  if (!user) throw new Error('There is no such person.')
  return user
}
