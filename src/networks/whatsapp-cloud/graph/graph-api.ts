import { createHmac } from 'node:crypto'
import type { HttpClient } from '../../../net/http/client.ts'
import type { HttpBody, HttpFailure, HttpLimits, HttpOpened } from '../../../net/http/request.ts'
import {
  integerIn,
  isWithin,
  type Json,
  type JsonLimits,
  objectIn,
  parseObject,
  textIn,
} from '../../kit/json.ts'
import { ShownWords } from '../../kit/shown-words.ts'

/** The result of one call of the Graph API. */
export type GraphAnswer = GraphResult | GraphRefusal | UnusableAnswer | HttpFailure

export interface GraphResult {
  readonly kind: 'ok'
  readonly json: Json
}

/** The API answered with an error of its own (https://developers.facebook.com/docs/graph-api/guides/error-handling). */
export interface GraphRefusal {
  readonly kind: 'refused'
  readonly status: number
  readonly code: number
  readonly subcode: number | null
  /** It passes by itself, as the API says. */
  readonly isTransient: boolean
  /** It is about who asks (`OAuthException`), as the API says. */
  readonly isOAuth: boolean
  /** It is about the proof with the secret of the app: there is none, or it is of another app. */
  readonly isAboutProof: boolean
  /** By which Meta finds the request in its logs. */
  readonly trace: string | null
}

/** Something answered that is not the Graph API, such as a proxy, or the API was cut off. */
export interface UnusableAnswer {
  readonly kind: 'unusable'
  readonly status: number
}

export interface GraphCallOptions {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** After the version: digits and names, separated by slashes, and perhaps a query. */
  readonly path: string
  readonly body?: HttpBody
  readonly limits: Partial<HttpLimits>
  readonly signal: AbortSignal
  /** False for a request without the proof of the app. */
  readonly proven?: boolean
  /** The longest answer; by default some more than one about a message or a number has. */
  readonly maxBytes?: number
}

export type GraphQuestion = Pick<GraphCallOptions, 'path' | 'limits' | 'signal' | 'maxBytes'>

/** The largest are lists of fifty templates, each with some hundred parts. */
const answerLimits: JsonLimits = { structure: 50_000, depth: 50 }

/** In bytes. Most answers have a few hundred. */
const longestAnswer = 64 * 1024

export interface GraphApiOptions {
  readonly http: HttpClient
  /** In front of the version. */
  readonly baseUrl: string
  readonly version: string
  readonly token: string
  /** Of the app for which the token was made, as far as is known. */
  readonly appSecret?: string | undefined
}

/**
 * The Graph API as one token calls it. The token is in a header of every request, and nowhere else; beside it is the proof
 * that the caller has the secret of the app, too. Source: Graph API, Secure Graph API calls.
 */
export class GraphApi {
  readonly #http: HttpClient
  readonly #base: string
  readonly #root: string
  readonly #words: ShownWords
  readonly #headers: Readonly<Record<string, string>>
  readonly #proof: string | null
  /** True if requests have the proof. */
  #proves: boolean

  constructor({ http, baseUrl, version, token, appSecret }: GraphApiOptions) {
    this.#http = http
    this.#base = baseUrl.replace(/\/+$/, '')
    this.#root = `${this.#base}/${version}`
    this.#proof = appSecret === undefined ? null : createHmac('sha256', appSecret).update(token).digest('hex')
    this.#proves = this.#proof !== null
    this.#words = new ShownWords([token, this.#proof ?? ''])
    this.#headers = { Authorization: `Bearer ${token}` }
  }

  /** Calls once. Never rejects. */
  async call({
    method,
    path,
    body,
    limits,
    signal,
    proven = true,
    maxBytes = longestAnswer,
  }: GraphCallOptions): Promise<GraphAnswer> {
    const proof =
      proven && this.#proves ? `${path.includes('?') ? '&' : '?'}appsecret_proof=${this.#proof}` : ''
    const url = `${this.#root}/${path}${proof}`
    const request = { method, url, headers: this.#headers, limits, maxBytes, signal } as const
    const answer = await this.#http.request(body ? { ...request, body } : request)
    return answer.kind === 'failed' ? answer : this.#read(answer.status, answer.body)
  }

  /**
   * Asks a question. Meta refuses a proof with the secret of another app than that of the token, even if that app wants none. So if
   * the proof is refused, it is asked once more without, and if that works, the proof is left out from then on. Never rejects.
   */
  async ask(question: GraphQuestion): Promise<GraphAnswer> {
    // Another question may find out meanwhile that the proof is not wanted.
    const proven = this.#proves
    const answer = await this.call({ ...question, method: 'GET', proven })
    if (answer.kind !== 'refused' || !answer.isAboutProof || !proven) return answer
    const unproven = await this.call({ ...question, method: 'GET', proven: false })
    if (unproven.kind === 'ok') this.#proves = false
    return unproven
  }

  /**
   * Opens a file at the URL that the API returned for it; null if the token must not be shown there, because it is neither
   * encrypted nor where the API itself is.
   */
  async open(
    url: string,
    options: {
      readonly maxBytes: number
      readonly limits: Partial<HttpLimits>
      readonly signal: AbortSignal
    },
  ): Promise<HttpOpened | HttpFailure | null> {
    const { protocol, origin } = URL.parse(url) ?? {}
    if (protocol !== 'https:' && origin !== URL.parse(this.#base)?.origin) return null
    return this.#http.open({ url, headers: this.#headers, ...options })
  }

  #read(status: number, body: Buffer): GraphAnswer {
    const json = isWithin(body, answerLimits) ? parseObject(body) : null
    const error = json && objectIn(json, 'error')
    const code = error && integerIn(error, 'code')
    if (error && code !== null) {
      const trace = textIn(error, 'fbtrace_id')
      return {
        kind: 'refused',
        status,
        code,
        subcode: integerIn(error, 'error_subcode'),
        isTransient: error.is_transient === true,
        isOAuth: textIn(error, 'type') === 'OAuthException',
        isAboutProof: code === 100 && (textIn(error, 'message') ?? '').includes('appsecret_proof'),
        trace: trace !== null && /^[\w-]{1,64}$/.test(trace) && !this.#words.hasSecret(trace) ? trace : null,
      }
    }
    return json && status >= 200 && status < 300 ? { kind: 'ok', json } : { kind: 'unusable', status }
  }
}
