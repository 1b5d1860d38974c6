import type { BotApi } from '../bot-api.ts'

/** The answers that are under way at once, and those that wait; a tap beyond them is not answered. */
const [maxUnderWay, maxWaiting] = [4, 100]

/** Milliseconds that Telegram may take for an answer. */
const answerTime = 10_000

/**
 * Answers the taps on buttons once they are stored: until then the app of the person shows that it waits
 * (https://core.telegram.org/bots/api#answercallbackquery). An answer that is lost does no harm, as the app stops waiting by
 * itself, so none is repeated.
 */
export class TapAnswers {
  readonly #api: BotApi
  readonly #signal: AbortSignal
  #waiting: string[] = []
  #underWay = 0

  constructor(api: BotApi, signal: AbortSignal) {
    this.#api = api
    this.#signal = signal
  }

  answer(tap: string): void {
    if (this.#waiting.length >= maxWaiting || this.#signal.aborted) return
    this.#waiting.push(tap)
    this.#next()
  }

  #next(): void {
    const tap = this.#underWay < maxUnderWay ? this.#waiting.shift() : undefined
    if (tap === undefined) return
    this.#underWay += 1
    void this.#send(tap).finally(() => {
      this.#underWay -= 1
      this.#next()
    })
  }

  async #send(tap: string): Promise<void> {
    const answer = await this.#api.call('answerCallbackQuery', {
      body: { json: { callback_query_id: tap } },
      limits: { headers: answerTime, total: answerTime },
      signal: this.#signal,
    })
    // Those that wait would be refused, too, and would be too late afterwards.
    if (answer.kind === 'refused' && answer.code === 429) this.#waiting = []
  }
}
