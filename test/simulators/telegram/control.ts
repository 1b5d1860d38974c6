import type { Chat, User } from '@grammyjs/types'
import type { Received, Standing } from './chats.ts'
import { acts } from './conversing/acts.ts'
import { groupActs } from './groups/acts.ts'
import {
  botOf,
  changeStanding,
  conversationOf,
  type Edit,
  edit,
  migrate,
  type Writing,
  write,
} from './people.ts'
import type { Limits } from './rate-limits.ts'
import type { PlannedFault } from './sending/faults.ts'
import type { Telegram } from './telegram.ts'

export interface NewPerson {
  readonly first_name: string
  readonly last_name?: string
  readonly username?: string
}

export interface NewGroup {
  readonly type: 'group' | 'supergroup' | 'channel'
  readonly title: string
  /** Makes it public; not for groups of type `group`. */
  readonly username?: string
  /** The tokens of the bots that are in it. */
  readonly bots?: readonly string[]
}

/** A private chat belongs to one bot, whose token it needs. */
export interface ChatOfBot {
  readonly token?: string
  readonly chat: number
}

// People's ids do not fit in 32 bits, as on Telegram.
const firstPerson = 7_000_000_001
const firstGroup = -5_000_000_001
const firstSupergroup = -1_002_000_000_001

/**
 * Actions of tests, by `POST /control/<name>` with the arguments as JSON. Those that wait answer as soon as the awaited
 * event has happened.
 */
export const actions = {
  ...acts,
  ...groupActs,

  createBot: (telegram: Telegram, { username }: { readonly username: string }) => {
    const { token, user } = telegram.createBot(username)
    return { token, id: user.id }
  },

  /** Returns the bot's new token. */
  revokeToken: (telegram: Telegram, { token }: { readonly token: string }): string => {
    const bot = telegram.bot(token)
    telegram.revoke(bot)
    return bot.token
  },

  /** Returns the id of the person, which is that of their private chats with bots, too. */
  createPerson: ({ chats }: Telegram, person: NewPerson): number => {
    const id = firstPerson + chats.people.size
    const user: User = { id, is_bot: false, language_code: 'en', ...person }
    chats.people.set(id, user)
    chats.add({ id, type: 'private', ...person })
    return id
  },

  createGroup: (telegram: Telegram, { type, title, username, bots = [] }: NewGroup): number => {
    const id = telegram.chats.nextId(type === 'group' ? firstGroup : firstSupergroup)
    const named = username === undefined ? { id, title } : { id, title, username }
    const chat: Chat =
      type === 'group' ? { id, type, title } : type === 'channel' ? { ...named, type } : { ...named, type }
    telegram.chats.add(chat)
    for (const token of bots) telegram.chats.setStanding(telegram.bot(token).user.id, chat, 'open')
    return id
  },

  setStanding: (telegram: Telegram, wish: { token: string; chat: number; standing: Standing }): void => {
    const chat = telegram.chats.get(wish.chat)
    changeStanding(telegram, telegram.bot(wish.token), chat, wish.standing)
  },

  /** Returns the id of the supergroup that the group has become. */
  migrate: (telegram: Telegram, { chat }: { readonly chat: number }): number => {
    const group = telegram.chats.get(chat)
    const id = telegram.chats.nextId(firstSupergroup)
    migrate(telegram, group, { id, type: 'supergroup', title: group.title ?? '' })
    return id
  },

  write: (telegram: Telegram, writing: Writing): number => write(telegram, writing),
  edit: (telegram: Telegram, change: Edit): void => edit(telegram, change),

  /** Returns the messages that bots have sent to a chat. Waits until there are at least `count`. */
  received: async (telegram: Telegram, wish: ChatOfBot & { readonly count?: number }) => {
    const chat = telegram.chats.get(wish.chat)
    const { received } = conversationOf(telegram, chat, botOf(telegram, chat, wish.token))
    await telegram.until(() => received.length >= (wish.count ?? 0))
    return received
  },

  /** Everything that was taken from a bot, by chat and in order. Waits until it is at least `count` messages. */
  taken: async (telegram: Telegram, { token, count = 0 }: { token: string; count?: number }) => {
    const { id } = telegram.bot(token).user
    const taken = () => telegram.chats.received().filter(({ bot }) => bot === id)
    await telegram.until(() => taken().length >= count)
    return Object.fromEntries(Map.groupBy(taken(), ({ chat }) => chat)) as Record<number, Received[]>
  },

  /** Counts the calls of a method, with this token or with any. Waits until there are at least `count`. */
  calls: async (telegram: Telegram, wish: { method: string; token?: string; count?: number }) => {
    const { method, token = '', count = 0 } = wish
    const calls = () => telegram.calls.get(`${token} ${method.toLowerCase()}`) ?? 0
    await telegram.until(() => calls() >= count)
    return calls()
  },

  /** Returns when a poll of the bot ended another one that waited. */
  conflicts: (telegram: Telegram, { token }: { readonly token: string }): readonly number[] =>
    telegram.bot(token).updates.conflicts,

  /** Waits until a long poll of the bot waits. */
  polling: async (telegram: Telegram, { token }: { readonly token: string }): Promise<void> => {
    const { updates } = telegram.bot(token)
    await telegram.until(() => updates.isParked)
  },

  /** Returns the URL of the bot's webhook, or nothing. Waits until it is `url`, if that is given. */
  webhook: async (telegram: Telegram, { token, url }: { token: string; url?: string }): Promise<string> => {
    const present = () => telegram.bot(token).webhook?.settings.url ?? ''
    if (url !== undefined) await telegram.until(() => present() === url)
    return present()
  },

  /** Waits until the webhook of the bot has failed to take an update. */
  undelivered: async (telegram: Telegram, { token }: { readonly token: string }): Promise<void> => {
    const failure = () => telegram.bot(token).webhook?.info().last_error_date
    await telegram.until(() => failure() !== undefined)
  },

  /** Counts the updates that the bot has not confirmed. Waits until there are at most `most`. */
  pending: async (telegram: Telegram, { token, most = Infinity }: { token: string; most?: number }) => {
    const { updates } = telegram.bot(token)
    await telegram.until(() => updates.pending().length <= most)
    return updates.pending().length
  },

  /** The number of the next update, which Telegram may choose anew after a week without any. */
  nextUpdateId: (
    telegram: Telegram,
    { token, id }: { readonly token: string; readonly id: number },
  ): void => {
    telegram.bot(token).updates.nextId = id
  },

  fault: ({ faults }: Telegram, planned: PlannedFault): void => faults.plan(planned),
  clearFaults: ({ faults }: Telegram, _: object): void => faults.clear(),

  /** Changes the limits that are named. */
  limit: ({ rates }: Telegram, limits: Partial<Limits>): void => {
    rates.limits = { ...rates.limits, ...limits }
  },

  advance: (telegram: Telegram, { seconds }: { readonly seconds: number }): void => telegram.advance(seconds),

  /** Sets the milliseconds of a second between attempts to reach a webhook. */
  retrySecond: (telegram: Telegram, { milliseconds }: { readonly milliseconds: number }): void => {
    telegram.retrySecond = milliseconds
  },
}

export type Actions = typeof actions
