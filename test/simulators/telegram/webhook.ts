import { setTimeout as wait } from 'node:timers/promises'
import type { WebhookInfo } from '@grammyjs/types'
import type { UpdateQueue } from './update-queue.ts'

export interface WebhookSettings {
  readonly url: string
  readonly secret: string | undefined
  readonly maxConnections: number
}

export interface Delivery {
  /** Milliseconds of a second of back-off here. */
  readonly second: () => number
  readonly now: () => number
  /** Called when a delivery has failed. */
  readonly failed: () => void
  /** True if the update that was just taken is to come once more. */
  readonly again: () => boolean
}

const longestPause = 60
const timeout = 10_000

/**
 * Delivers the updates of one bot, one after another, until it is ended. An update that is not answered with 2xx comes
 * again, after 1, 2, 4 … 60 seconds of back-off.
 */
export class Webhook {
  readonly settings: WebhookSettings
  readonly #queue: UpdateQueue
  readonly #delivery: Delivery
  readonly #ended = new AbortController()
  #error: { readonly date: number; readonly message: string } | null = null

  constructor(settings: WebhookSettings, queue: UpdateQueue, delivery: Delivery) {
    this.settings = settings
    this.#queue = queue
    this.#delivery = delivery
    void this.#deliver()
  }

  end(): void {
    this.#ended.abort()
  }

  info(): WebhookInfo {
    const failed = this.#error && {
      last_error_date: this.#error.date,
      last_error_message: this.#error.message,
    }
    return {
      url: this.settings.url,
      has_custom_certificate: false,
      pending_update_count: this.#queue.pending().length,
      max_connections: this.settings.maxConnections,
      ...(this.#queue.allowed.length > 0 && { allowed_updates: [...this.#queue.allowed] as never }),
      ...failed,
    }
  }

  async #deliver(): Promise<void> {
    const { signal } = this.#ended
    let failures = 0
    while (!signal.aborted) {
      await this.#queue.arrival(signal)
      const [update] = this.#queue.pending()
      if (signal.aborted || !update) continue
      const error = await this.#post(JSON.stringify(update))
      if (signal.aborted) return
      if (error === undefined) {
        failures = 0
        if (!this.#delivery.again()) this.#queue.confirm(update.update_id + 1)
        continue
      }
      this.#error = { date: Math.floor(this.#delivery.now() / 1000), message: error }
      this.#delivery.failed()
      const pause = Math.min(2 ** failures++, longestPause) * this.#delivery.second()
      await wait(pause, undefined, { signal }).catch(() => {})
    }
  }

  /** Posts an update; resolves with the reason why it failed, or undefined. */
  async #post(body: string): Promise<string | undefined> {
    const { url, secret } = this.settings
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    if (secret !== undefined) headers['X-Telegram-Bot-Api-Secret-Token'] = secret
    const signal = AbortSignal.any([this.#ended.signal, AbortSignal.timeout(timeout)])
    try {
      const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
      await response.body?.cancel()
      const { ok, status, statusText } = response
      return ok ? undefined : `Wrong response from the webhook: ${status} ${statusText}`
    } catch {
      return 'Connection failed'
    }
  }
}
