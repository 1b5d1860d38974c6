import type { Chat, ChatMember, User } from '@grammyjs/types'

/** Rights that administrators may have (core.telegram.org/bots/api#chatadministratorrights), as far as groups know them. */
export const rights = [
  'can_manage_chat',
  'can_delete_messages',
  'can_manage_video_chats',
  'can_restrict_members',
  'can_promote_members',
  'can_change_info',
  'can_invite_users',
  'can_post_stories',
  'can_edit_stories',
  'can_delete_stories',
  'can_pin_messages',
  'can_manage_topics',
  'can_send_welcome_messages',
] as const
export type Right = (typeof rights)[number]

export interface Member {
  readonly status: ChatMember['status']
  /** Of an administrator. */
  readonly rights?: readonly Right[]
  /** Of an administrator: the bot that promoted them, which alone among bots may take that back. */
  readonly promotedBy?: number
  readonly isAnonymous?: boolean
}

/** The people in groups, and the invite links of bots. Bots are in a group by their standing in it. */
export class Roster {
  readonly #members = new Map<number, Map<number, Member>>()
  readonly #links = new Map<string, string>()
  #lastLink = 0

  /** The members of a chat, also those who are gone. */
  of(chat: Chat): Map<number, Member> {
    const members = this.#members.get(chat.id) ?? new Map<number, Member>()
    this.#members.set(chat.id, members)
    return members
  }

  /** A group that became a supergroup keeps its members. */
  move(from: Chat, to: Chat): void {
    this.#members.set(to.id, this.of(from))
  }

  /** The primary link of a bot, which each administrator has of their own. */
  link(bot: number, chat: Chat): string | undefined {
    return this.#links.get(`${bot} ${chat.id}`)
  }

  /** Makes a new primary link; the one before no longer works. */
  newLink(bot: number, chat: Chat): string {
    this.#lastLink += 1
    const link = `https://t.me/+${`AA${this.#lastLink}`.padEnd(16, 'x')}`
    this.#links.set(`${bot} ${chat.id}`, link)
    return link
  }

  /** True if people can still join a chat by this link. */
  isValid(link: string): boolean {
    return [...this.#links.values()].includes(link)
  }
}

export function isIn(member: Member | undefined): boolean {
  return member !== undefined && member.status !== 'left' && member.status !== 'kicked'
}

/** A member, by the schema of the Bot API. */
export function shown(user: User, member: Member | undefined): ChatMember {
  const { status = 'left', isAnonymous: is_anonymous = false } = member ?? {}
  switch (status) {
    case 'creator':
      return { status, user, is_anonymous }
    case 'administrator': {
      const held = rights.map((right) => [right, member?.rights?.includes(right) ?? false] as const)
      const can = Object.fromEntries(held) as Record<Right, boolean>
      return { status, user, can_be_edited: false, is_anonymous, ...can }
    }
    case 'kicked':
      return { status, user, until_date: 0 }
    case 'restricted':
      throw new Error('The simulator restricts no members.')
    default:
      return { status, user } as ChatMember
  }
}
