import type { BotApi } from '../bot-api.ts'

/** Chats in which one bot shows at once that it writes; in more, it is not shown. */
const maxChats = 100

/** Milliseconds until it is shown once more: people see it for five seconds (https://core.telegram.org/bots/api#sendchataction). */
const repeatedAfter = 4_500

/** Milliseconds that Telegram may take for it. */
const answerTime = 5_000

/** A chat, and the topic in it. */
interface Place {
  readonly chat_id: string
  readonly message_thread_id?: number
}

/** Shows in chats that the bot writes, until the time is over or it sends something there. */
export class TypingShown {
  readonly #api: BotApi
  readonly #signal: AbortSignal
  /** By the chat: ends what is shown there. */
  readonly #chats = new Map<string, AbortController>()

  constructor(api: BotApi, signal: AbortSignal) {
    this.#api = api
    this.#signal = signal
  }

  /** Resolves when it was shown for the first time, or could not be; never rejects. */
  async show(chat: string, seconds: number, topic?: string): Promise<void> {
    this.end(chat)
    if (this.#chats.size >= maxChats || this.#signal.aborted) return
    const ending = new AbortController()
    this.#chats.set(chat, ending)
    const until = performance.now() + seconds * 1000
    await this.#once(
      { chat_id: chat, ...(topic !== undefined && { message_thread_id: Number(topic) }) },
      until,
      ending,
    )
  }

  /** The bot sends something to this chat. */
  end(chat: string): void {
    this.#chats.get(chat)?.abort()
    this.#chats.delete(chat)
  }

  /** A chat in which it cannot be shown once is left alone. */
  async #once(place: Place, until: number, ending: AbortController): Promise<void> {
    const chat = place.chat_id
    const signal = AbortSignal.any([ending.signal, this.#signal])
    const answer = await this.#api.call('sendChatAction', {
      body: { json: { ...place, action: 'typing' } },
      limits: { headers: answerTime, total: answerTime },
      signal,
    })
    const left = until - performance.now()
    if (answer.kind !== 'ok' || signal.aborted || left <= 0) return this.#forget(chat, ending)
    const timer = setTimeout(
      () => {
        signal.removeEventListener('abort', stop)
        // The last one is seen for five seconds, and so to the end of the time.
        if (left <= repeatedAfter) this.#forget(chat, ending)
        else void this.#once(place, until, ending)
      },
      Math.min(left, repeatedAfter),
    )
    const stop = () => {
      clearTimeout(timer)
      this.#forget(chat, ending)
    }
    signal.addEventListener('abort', stop, { once: true })
  }

  #forget(chat: string, ending: AbortController): void {
    if (this.#chats.get(chat) === ending) this.#chats.delete(chat)
  }
}
