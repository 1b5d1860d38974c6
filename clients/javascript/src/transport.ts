import type { Problem } from './contract/types.ts'
import { Deadline } from './deadline.ts'
import {
  ConnectionError,
  PosthornError,
  ProblemError,
  retryAfterOf,
  UnexpectedResponseError,
} from './errors.ts'
import type { OperationRow } from './operation.ts'
import type { PosthornOptions, SendOptions } from './options.ts'
import { pause, retryDelayMs } from './retry.ts'
import { browserGuard, userAgent } from './surroundings.ts'

/** A call of an operation, with its path filled in. */
export interface Call {
  readonly operation: OperationRow
  readonly path: string
  readonly query?: Readonly<Record<string, unknown>> | undefined
  /** An object that is sent as JSON, or a form. */
  readonly body?: unknown
  readonly options?: SendOptions | undefined
}

/** An event stream that is open, and the deadline that ends it. */
export interface OpenStream {
  readonly chunks: AsyncIterable<Uint8Array>
  readonly deadline: Deadline
}

const attemptTimeoutMs = 30_000
const uploadTimeoutMs = 300_000
const maxRetries = 2

/** Sends calls to one server: with its key, repeated as often as is safe, each attempt and each call with its time limit. */
export class Transport {
  readonly #options: PosthornOptions
  readonly baseUrl: string
  readonly #guard: () => Promise<void>

  constructor(options: PosthornOptions) {
    this.#options = options
    this.baseUrl = checkedUrl(options.baseUrl)
    this.#guard = browserGuard(options, () =>
      this.#attempt(meCall, '', new Deadline(attemptTimeoutMs, 'GET /v1/me', undefined)),
    )
  }

  /** Returns the parsed body of the response, its text, or for a file the response itself. Throws every failure. */
  async send(call: Call): Promise<unknown> {
    await this.#guard()
    const { operation, options = {} } = call
    const limit = options.callTimeoutMs ?? this.#options.callTimeoutMs ?? Number.POSITIVE_INFINITY
    const deadline = new Deadline(limit, `The call ${operation[0]} ${call.path}`, options.signal)
    try {
      return await this.#repeat(call, deadline.signal)
    } finally {
      // The body of a file is still to be read: only the caller's own signal ends that.
      if (operation[2].includes('f')) deadline.lift()
      else deadline.release()
    }
  }

  async #repeat(call: Call, signal: AbortSignal): Promise<unknown> {
    const { operation, options = {} } = call
    const [method, , flags] = operation
    // One key for all attempts: it is what keeps them from doubling.
    const key = flags.includes('i') ? (options.idempotencyKey ?? newKey()) : ''
    const isRepeatable = method === 'GET' || key !== ''
    const most = options.maxRetries ?? this.#options.maxRetries ?? maxRetries
    for (let retry = 0; ; retry++) {
      try {
        return await this.#attempt(
          call,
          key,
          new Deadline(this.#attemptLimit(call), `An attempt of ${method} ${call.path}`, signal),
        )
      } catch (error) {
        signal.throwIfAborted()
        const delay = retry < most ? retryDelayMs(error, retry, isRepeatable) : undefined
        if (delay === undefined) throw error
        await pause(delay, signal)
      }
    }
  }

  #attemptLimit({ body, options = {} }: Call): number {
    const usual = body instanceof FormData ? uploadTimeoutMs : attemptTimeoutMs
    return (
      (options.attemptTimeoutMs ?? this.#options.attemptTimeoutMs ?? usual) +
      (options.waitSeconds ?? 0) * 1_000
    )
  }

  async #attempt(call: Call, key: string, deadline: Deadline): Promise<unknown> {
    const isFile = call.operation[2].includes('f')
    const url = this.#urlOf(call)
    try {
      const response = await this.#fetch(url, this.#requestOf(call, key, deadline.signal))
      return await readResponse(response, call)
    } catch (error) {
      throw failureOf(error, url, deadline.signal)
    } finally {
      if (isFile) deadline.lift()
      else deadline.release()
    }
  }

  /** Opens an event stream, once. The caller ends the deadline, which lives as long as the stream. */
  async stream(call: Call, lastEventId: string | undefined): Promise<OpenStream> {
    await this.#guard()
    const deadline = new Deadline(
      this.#attemptLimit(call),
      `An attempt of GET ${call.path}`,
      call.options?.signal,
    )
    const url = this.#urlOf(call)
    try {
      const request = this.#requestOf(call, '', deadline.signal)
      const headers = { ...(request.headers as Record<string, string>) }
      headers.accept = `${eventStream}, ${problemJson}`
      if (lastEventId !== undefined) headers['last-event-id'] = lastEventId
      const response = await this.#fetch(url, { ...request, headers })
      if (!response.ok || mediaTypeOf(response) !== eventStream || !response.body) {
        await readResponse(response, call)
        throw new UnexpectedResponseError(response, 'GET', call.path)
      }
      return { chunks: chunksOf(response.body), deadline }
    } catch (error) {
      deadline.release()
      throw failureOf(error, url, deadline.signal)
    }
  }

  #fetch(url: string, init: RequestInit): Promise<Response> {
    return (this.#options.fetch ?? fetch)(url, init)
  }

  #urlOf({ path, query = {} }: Call): string {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) search.append(name, String(value))
    }
    return this.baseUrl + path + (search.size > 0 ? `?${search}` : '')
  }

  #requestOf({ operation, body, options = {} }: Call, key: string, signal: AbortSignal): RequestInit {
    const [method, , flags] = operation
    const headers: Record<string, string> = { ...userAgent() }
    headers.accept = flags.includes('f')
      ? '*/*'
      : `${flags.includes('t') ? 'text/plain' : 'application/json'}, ${problemJson}`
    if (this.#options.key !== undefined) headers.authorization = `Bearer ${this.#options.key}`
    if (key !== '') headers['idempotency-key'] = key
    if (options.waitSeconds !== undefined) headers.prefer = `wait=${options.waitSeconds}`
    const request: RequestInit = { method, headers, signal, redirect: 'manual' }
    if (body instanceof FormData) request.body = body
    else if (body !== undefined) {
      headers['content-type'] = 'application/json'
      request.body = JSON.stringify(body)
    }
    return request
  }
}

const eventStream = 'text/event-stream'
const problemJson = 'application/problem+json'
const meCall: Call = { operation: ['GET', '/v1/me', ''], path: '/v1/me' }

/** The base URL without its last slash. Throws if it is no URL that can be called. */
function checkedUrl(baseUrl: string): string {
  if (!/^https?:$/.test(URL.parse?.(baseUrl)?.protocol ?? new URL(baseUrl).protocol)) {
    throw new TypeError('baseUrl must begin with https:// or http://.')
  }
  return baseUrl.replace(/\/+$/, '')
}

async function readResponse(response: Response, { operation, path }: Call): Promise<unknown> {
  const [method, , flags] = operation
  const type = mediaTypeOf(response)
  if (type === problemJson) {
    const problem = (await response.json()) as Problem
    throw new ProblemError(problem, retryAfterOf(response))
  }
  const isState = flags.includes('r') && response.status === 503 && type === 'application/json'
  if (response.ok || isState) {
    if (response.status === 204) return undefined
    if (flags.includes('f')) return response
    if (flags.includes('t')) return response.text()
    if (type === 'application/json') return response.json()
  }
  await response.body?.cancel()
  throw new UnexpectedResponseError(response, method, path)
}

/** Returns the error that the caller gets for one of an attempt: the reason of the signal, if that ended it. */
function failureOf(error: unknown, url: string, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  return error instanceof PosthornError ? error : new ConnectionError(url, error)
}

function mediaTypeOf(response: Response): string | undefined {
  return response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
}

/** Reads a stream chunk by chunk; not every browser can iterate over one. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** A new idempotency key. `crypto.randomUUID` is missing on pages without TLS. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}
