import type { HttpClient } from '../../net/http/client.ts'
import type { HttpBody, HttpFailure, HttpLimits, HttpOpened, HttpResponse } from '../../net/http/request.ts'
import { asObject, integerIn, type Json, objectIn, textIn } from '../kit/json.ts'
import type { ShownWords } from '../kit/shown-words.ts'

export interface BotCallOptions {
  readonly body?: HttpBody
  readonly limits?: Partial<HttpLimits>
  /** Bytes that the answer may have. */
  readonly maxBytes?: number
  readonly signal: AbortSignal
  /** Reads an answer of so many bytes when it is its turn; at once if missing. */
  readonly inTurn?: (bytes: number, read: () => ApiAnswer) => Promise<ApiAnswer>
}

/** The result of one call of a method. */
export type ApiAnswer = ApiResult | ApiRefusal | UnusableAnswer | HttpFailure

export interface ApiResult {
  readonly kind: 'ok'
  readonly result: unknown
  /** Of the answer, in bytes. */
  readonly size: number
}

/** The Bot API answered that it did not do it. */
export interface ApiRefusal {
  readonly kind: 'refused'
  /** `error_code`, which is also the status of HTTP. */
  readonly code: number
  /** In one line, bounded, and without secrets. */
  readonly description: string
  /** In seconds. */
  readonly retryAfter: number | null
  /** The supergroup that the group has become. */
  readonly migratedTo: string | null
}

/** Something answered that is not the Bot API, such as a proxy. */
export interface UnusableAnswer {
  readonly kind: 'unusable'
  readonly status: number
}

const usualBytes = 64 * 1024

/** Bytes of an answer that are read for the number of its first update. */
const longestBeginning = 256

/** The Bot API (https://core.telegram.org/bots/api) as one bot calls it. The token is in every URL, and nowhere else. */
export class BotApi {
  readonly #http: HttpClient
  readonly #base: string
  readonly #token: string
  readonly #words: ShownWords

  /** `words` hides all secrets of the bot. */
  constructor(http: HttpClient, base: string, token: string, words: ShownWords) {
    this.#words = words
    this.#http = http
    this.#base = base.replace(/\/+$/, '')
    this.#token = token
  }

  /** Calls a method once. Rejects only if `inTurn` does. */
  async call(
    method: string,
    { body, limits = {}, maxBytes = usualBytes, signal, inTurn }: BotCallOptions,
  ): Promise<ApiAnswer> {
    const url = `${this.#base}/bot${this.#token}/${method}`
    const request = { method: 'POST', url, limits, maxBytes, signal } as const
    const answer = await this.#http.request(body ? { ...request, body } : request)
    if (answer.kind === 'failed') return answer
    const read = () => this.#read(answer.status, answer.body)
    return inTurn ? inTurn(answer.body.length, read) : read()
  }

  /**
   * The number of the update that a poll with this offset begins with, however large it is; null if it cannot be told. It is the
   * first thing that Telegram says of an update (tdlib/telegram-bot-api, Client.cpp).
   */
  async nextUpdateId(offset: number | undefined, signal: AbortSignal): Promise<number | null> {
    const from = offset === undefined ? '' : `&offset=${offset}`
    const url = `${this.#base}/bot${this.#token}/getUpdates?limit=1&timeout=0${from}`
    const opened = await this.#http.open({ url, maxBytes: Number.MAX_SAFE_INTEGER, signal })
    if (opened.kind === 'failed') return null
    let begin = ''
    try {
      for await (const piece of opened.body) {
        begin += (piece as Buffer).toString('latin1')
        if (begin.length >= longestBeginning) break
      }
    } catch {
      return null
    } finally {
      opened.body.destroy()
    }
    const [, id] =
      /^\s*\{\s*"ok"\s*:\s*true\s*,\s*"result"\s*:\s*\[\s*\{\s*"update_id"\s*:\s*(\d{1,15})\s*,/.exec(
        begin,
      ) ?? []
    return id === undefined ? null : Number(id)
  }

  /** Opens a file by the path that `getFile` returned; null if the path is none. */
  async open(
    path: string,
    options: {
      readonly maxBytes: number
      readonly signal: AbortSignal
      readonly limits?: Partial<HttpLimits>
    },
  ): Promise<HttpOpened | HttpFailure | null> {
    const url = this.#fileUrl(path)
    return url === null ? null : this.#http.open({ url, ...options })
  }

  /** Reads a small file whole, as `open`. */
  async download(
    path: string,
    options: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<HttpResponse | HttpFailure | null> {
    const url = this.#fileUrl(path)
    return url === null ? null : this.#http.request({ method: 'GET', url, ...options })
  }

  #fileUrl(path: string): string | null {
    const parts = path.split('/')
    if (parts.some((part) => part === '' || part === '.' || part === '..')) return null
    return `${this.#base}/file/bot${this.#token}/${parts.map(encodeURIComponent).join('/')}`
  }

  /** Returns the words of the Bot API, in one line, bounded, and without secrets. */
  shown(said: string): string {
    return this.#words.of(said)
  }

  #read(status: number, body: Buffer): ApiAnswer {
    const answer = parsed(body)
    if (answer?.ok === true && status === 200 && 'result' in answer)
      return { kind: 'ok', result: answer.result, size: body.length }
    const code = answer?.ok === false ? integerIn(answer, 'error_code') : null
    // A server that answers with another status than its code says is no Bot API.
    if (!answer || code === null || code !== status) return { kind: 'unusable', status }
    const parameters = objectIn(answer, 'parameters') ?? {}
    const migratedTo = integerIn(parameters, 'migrate_to_chat_id')
    return {
      kind: 'refused',
      code,
      description: this.shown(textIn(answer, 'description') ?? ''),
      retryAfter: integerIn(parameters, 'retry_after'),
      migratedTo: migratedTo === null ? null : String(migratedTo),
    }
  }
}

function parsed(body: Buffer): Json | null {
  try {
    return asObject(JSON.parse(body.toString()))
  } catch {
    return null
  }
}
