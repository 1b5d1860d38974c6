import type { UserFromGetMe } from '@grammyjs/types'
import { Chats } from './chats.ts'
import { Taps } from './conversing/taps.ts'
import { Files } from './files.ts'
import { JoinRequests } from './groups/join-requests.ts'
import { Pictures } from './groups/pictures.ts'
import { Roster } from './groups/roster.ts'
import type { Typing } from './groups/typing.ts'
import { RateLimits } from './rate-limits.ts'
import { notFound, Refusal, unauthorized } from './refusal.ts'
import { Faults } from './sending/faults.ts'
import { UpdateQueue } from './update-queue.ts'
import { Webhook, type WebhookSettings } from './webhook.ts'

export interface Bot {
  token: string
  readonly user: UserFromGetMe
  readonly updates: UpdateQueue
  webhook: Webhook | null
}

/** Everything that this Telegram knows. */
export class Telegram {
  readonly chats = new Chats()
  readonly files = new Files()
  readonly faults = new Faults()
  readonly rates = new RateLimits()
  readonly taps = new Taps()
  readonly roster = new Roster()
  readonly joinRequests = new JoinRequests()
  readonly pictures = new Pictures()
  readonly typings: Typing[] = []
  /** Number of calls of each method, by token and name in lower case, and by name alone behind a space. */
  readonly calls = new Map<string, number>()
  /** Milliseconds of a second of back-off between attempts to reach a webhook. */
  retrySecond = 1000
  readonly #bots = new Map<string, Bot>()
  readonly #watchers = new Set<() => void>()
  #advanced = 0
  #lastToken = 0

  /** In milliseconds since 1970. */
  readonly now = (): number => Date.now() + this.#advanced

  /** In seconds. */
  date(): number {
    return Math.floor(this.now() / 1000)
  }

  advance(seconds: number): void {
    this.#advanced += seconds * 1000
    this.changed()
  }

  readonly changed = (): void => {
    for (const wake of this.#watchers) wake()
  }

  /** Resolves once the condition holds, which is checked with every change. Rejects after the deadline in milliseconds. */
  async until(holds: () => boolean, deadline = 60_000): Promise<void> {
    if (holds()) return
    await new Promise<void>((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        this.#watchers.delete(check)
      }
      const check = () => {
        if (!holds()) return
        end()
        resolve()
      }
      const timer = setTimeout(() => {
        end()
        reject(new Error(`It did not happen within ${deadline / 1000} seconds.`))
      }, deadline)
      this.#watchers.add(check)
    })
  }

  bots(): readonly Bot[] {
    return [...this.#bots.values()]
  }

  createBot(username: string, name = username): Bot {
    const id = 8_000_000_001 + this.#bots.size
    const user: UserFromGetMe = {
      id,
      is_bot: true,
      first_name: name,
      username,
      can_join_groups: true,
      can_read_all_group_messages: true,
      supports_inline_queries: false,
      can_connect_to_business: false,
      has_main_web_app: false,
      has_topics_enabled: false,
      allows_users_to_create_topics: false,
      can_manage_bots: false,
      supports_join_request_queries: false,
    }
    const updates = new UpdateQueue(this.now, this.changed)
    const bot: Bot = { token: this.#newToken(id), user, updates, webhook: null }
    this.#bots.set(bot.token, bot)
    return bot
  }

  /** The bot with this token, which is malformed or unknown otherwise. */
  bot(token: string): Bot {
    if (!/^\d{1,16}:[\w-]{35}$/.test(token)) throw notFound()
    const bot = this.#bots.get(token)
    if (!bot) throw unauthorized()
    return bot
  }

  /** Gives the bot a new token. A long poll with the old one ends. */
  revoke(bot: Bot): void {
    this.#bots.delete(bot.token)
    bot.token = this.#newToken(bot.user.id)
    this.#bots.set(bot.token, bot)
    bot.updates.terminate(unauthorized())
    // The webhook was that of the token.
    this.setWebhook(bot, null)
  }

  /** Sets the webhook of a bot, or none. */
  setWebhook(bot: Bot, settings: WebhookSettings | null): void {
    bot.webhook?.end()
    bot.webhook = null
    this.changed()
    if (!settings) return
    bot.updates.terminate(new Refusal(409, 'Conflict: terminated by setWebhook request'))
    const again = () => this.faults.take('webhook', bot.token)?.kind === 'again'
    const second = () => this.retrySecond
    bot.webhook = new Webhook(settings, bot.updates, { now: this.now, second, again, failed: this.changed })
  }

  count(token: string, method: string): void {
    for (const key of [`${token} ${method}`, ` ${method}`])
      this.calls.set(key, (this.calls.get(key) ?? 0) + 1)
    this.changed()
  }

  #newToken(id: number): string {
    return `${id}:${`AA${++this.#lastToken}`.padEnd(35, 'x')}`
  }
}
