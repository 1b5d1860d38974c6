import type { Clock } from '../../../runtime/clock.ts'
import { asObject, integerIn, type Json, textIn } from '../../kit/json.ts'
import type { ApiAnswer, BotApi } from '../bot-api.ts'
import { secretFor } from '../callbacks.ts'
import type { ReasonCode } from '../codes.ts'
import { reasonFor } from '../errors.ts'
import { updateTypes } from './incoming-message.ts'

export interface WebhookOptions {
  readonly api: BotApi
  /** The callback URL of the instance. */
  readonly url: string
  readonly token: string
  /**
   * Resolves with true if this other URL is of this server, and no instance needs the updates that Telegram posts there for
   * this bot.
   */
  readonly isAbandoned: (url: string) => Promise<boolean>
  readonly clock: Clock
  /** Milliseconds that Telegram may take for a response. */
  readonly time: number
  readonly signal: AbortSignal
}

/** Why Telegram does not call back, and what it says about it. */
export interface Trouble {
  readonly code: ReasonCode
  readonly said?: string
}

/** That Telegram could not deliver what waits. */
export interface WebhookFailure {
  /** In milliseconds since the epoch. */
  readonly at: number
  /** Telegram's own words about it. */
  readonly said: string | null
}

interface NoInfo {
  readonly info: null
  readonly trouble: Trouble
}

/** Updates that Telegram may post at once: Posthorn stores them together. */
const maxConnections = 16

/**
 * For how long a failed delivery counts, in milliseconds. Telegram repeats it after a minute at most (tdlib/telegram-bot-api,
 * WebhookActor.cpp), so an older one is over.
 */
const failureLasts = 120_000

/** The webhook of one bot (https://core.telegram.org/bots/api#setwebhook). */
export class TelegramWebhook {
  readonly #options: WebhookOptions
  /** When the last update came, in milliseconds since the epoch. */
  #deliveredAt = 0
  #failure: WebhookFailure | null = null

  constructor(options: WebhookOptions) {
    this.#options = options
  }

  /**
   * The failure to deliver that Telegram told when it was last asked; null if it delivered something since, or nothing
   * waited.
   */
  get failure(): WebhookFailure | null {
    return this.#failure && this.#failure.at > this.#deliveredAt ? this.#failure : null
  }

  /**
   * Sets the webhook; Telegram then delivers the waiting updates there, too. Null on success. Another program's webhook
   * stays.
   */
  async set(): Promise<Trouble | null> {
    const { info, trouble } = await this.#info()
    if (!info) return trouble
    const url = textIn(info, 'url')
    if (url !== null && !(await this.#isOurs(url))) return { code: 'replaced' }
    return this.#settle(info)
  }

  /** Null if Telegram still calls back; `failure` tells whether that fails. */
  async check(): Promise<Trouble | null> {
    const { info, trouble } = await this.#info()
    if (!info) return trouble
    return textIn(info, 'url') === this.#options.url ? this.#settle(info) : { code: 'replaced' }
  }

  /** An update came at this time, in milliseconds since the epoch. */
  delivered(at: number): void {
    this.#deliveredAt = Math.max(this.#deliveredAt, at)
  }

  /** Deletes the webhook if it is of this server, for this bot; updates that wait stay. True if none of the instance is left. */
  async remove(): Promise<boolean> {
    const { info, trouble } = await this.#info()
    // A token that is refused has no webhook any more.
    if (!info) return trouble.code === 'token_refused'
    const url = textIn(info, 'url')
    if (url === null || !(await this.#isOurs(url))) return true
    return (await this.#call('deleteWebhook', { drop_pending_updates: false })).kind === 'ok'
  }

  /**
   * Resolves with true if there is a webhook, and it is not that of another program or of another instance that uses the
   * bot.
   */
  async isSet(): Promise<boolean> {
    const { info } = await this.#info()
    const url = info && textIn(info, 'url')
    return url !== null && this.#isOurs(url)
  }

  async #settle(info: Json): Promise<Trouble | null> {
    this.#failure = this.#failureIn(info)
    // Its secret may be another if Telegram is refused.
    const isRefused = /\b40[13]\b/.test(this.failure?.said ?? '')
    const isSet = textIn(info, 'url') === this.#options.url && isAsAsked(info) && !isRefused
    return isSet ? null : this.#ask()
  }

  async #ask(): Promise<Trouble | null> {
    const { url, token } = this.#options
    const answer = await this.#call('setWebhook', {
      url,
      secret_token: secretFor(token),
      max_connections: maxConnections,
      allowed_updates: updateTypes,
      drop_pending_updates: false,
    })
    if (answer.kind === 'ok') return null
    if (answer.kind === 'refused' && answer.code === 400)
      return { code: 'callback_url_refused', said: answer.description }
    return { code: reasonFor(answer) }
  }

  /** Returns Telegram's information on the webhook, or the reason why there is none. */
  async #info(): Promise<{ readonly info: Json; readonly trouble?: never } | NoInfo> {
    const answer = await this.#call('getWebhookInfo', {})
    if (answer.kind !== 'ok') return { info: null, trouble: { code: reasonFor(answer) } }
    const info = asObject(answer.result)
    return info ? { info } : { info: null, trouble: { code: 'not_telegram' } }
  }

  #failureIn(info: Json): WebhookFailure | null {
    const at = (integerIn(info, 'last_error_date') ?? 0) * 1000
    const waits = integerIn(info, 'pending_update_count') ?? 0
    if (waits === 0 || at < this.#options.clock.now() - failureLasts) return null
    const said = textIn(info, 'last_error_message')
    return { at, said: said && this.#options.api.shown(said) }
  }

  /**
   * Resolves with true if it is of this instance, perhaps from before the server moved, or of one that does not use the bot
   * any more.
   */
  async #isOurs(url: string): Promise<boolean> {
    const isOwn = tokenIn(url) === tokenIn(this.#options.url)
    return isOwn || this.#options.isAbandoned(url)
  }

  #call(method: string, json: object): Promise<ApiAnswer> {
    const { api, time, signal } = this.#options
    return api.call(method, { body: { json }, limits: { headers: time, total: time }, signal })
  }
}

/** The secret in a callback URL. */
export function tokenIn(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1)
}

function isAsAsked(info: Json): boolean {
  const types = info.allowed_updates
  const isEach =
    Array.isArray(types) &&
    types.length === updateTypes.length &&
    updateTypes.every((type) => types.includes(type))
  return isEach && integerIn(info, 'max_connections') === maxConnections
}
