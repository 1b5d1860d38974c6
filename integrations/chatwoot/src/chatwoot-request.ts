import { setTimeout as sleep } from 'node:timers/promises'
import { fetchInPieces } from './streamed-form.ts'

/** A request that did not succeed, and whether Chatwoot may have done what it asked for. */
export class ChatwootError extends Error {
  override readonly name = 'ChatwootError'
  /** The status of the response; undefined if there was none. */
  readonly status: number | undefined
  /** True if the request may have been carried out: there was no response, or one that says nothing about that. */
  readonly isUncertain: boolean
  /** Seconds after which to repeat the request, if Chatwoot said so. */
  readonly retryAfter: number | undefined
  /** The words of Chatwoot, if it gave any. */
  readonly said: string

  constructor(what: string, fault: ChatwootFault) {
    const words = fault.said ? `: ${fault.said}` : ''
    super(
      fault.status === undefined
        ? `Chatwoot did not answer ${what} (${fault.cause}).`
        : `Chatwoot answered ${what} with ${fault.status}${words}`,
    )
    this.status = fault.status
    this.isUncertain = fault.isUncertain
    this.retryAfter = fault.retryAfter
    this.said = fault.said ?? ''
  }
}

interface ChatwootFault {
  readonly status?: number
  readonly isUncertain: boolean
  readonly retryAfter?: number | undefined
  readonly said?: string
  readonly cause?: string
}

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT'
  readonly body?: FormData | Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, string | number>>
  /** Gives the request up before its usual time limit. */
  readonly signal?: AbortSignal
}

export interface Endpoint {
  readonly url: string
  readonly token: string
  readonly signal: AbortSignal
}

/** A response, with the time of Chatwoot's clock in seconds. */
export interface ChatwootResponse {
  readonly body: unknown
  readonly at: number
}

/** Longer than Chatwoot lets a request take (15 s, `RACK_TIMEOUT_SERVICE_TIMEOUT`). */
const requestTimeoutMs = 30_000
const uploadTimeoutMs = 300_000
/** A page of twenty messages, each of the longest that Chatwoot takes (150,000 characters). */
const maxResponseBytes = 16_000_000

/** Sends a request to Chatwoot's API, once. Throws a `ChatwootError` if it does not succeed. */
export async function request(
  { url, token, signal }: Endpoint,
  path: string,
  { method = 'GET', body, query = {}, signal: sooner }: RequestOptions = {},
): Promise<ChatwootResponse> {
  const address = new URL(`${url}${path}`)
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, String(value))
  const what = `${method} ${path.replaceAll(/[^\w/.-]+/g, '…')}`
  const isForm = body instanceof FormData
  const timeout = AbortSignal.timeout(isForm ? uploadTimeoutMs : requestTimeoutMs)
  try {
    const response = await fetchInPieces(address, {
      method,
      // A redirect would carry the token to another place.
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout, ...(sooner ? [sooner] : [])]),
      headers: { api_access_token: token, ...(body && !isForm && { 'content-type': 'application/json' }) },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    })
    const text = await boundedText(response)
    if (!response.ok) throw refusalOf(what, response, text)
    const at = Date.parse(response.headers.get('date') ?? '') / 1_000 || Date.now() / 1_000
    return { body: JSON.parse(text || 'null'), at: Math.floor(at) }
  } catch (error) {
    if (error instanceof ChatwootError) throw error
    signal.throwIfAborted()
    throw new ChatwootError(what, { isUncertain: !wasRefused(error), cause: causeOf(error) })
  }
}

/** Returns what a response that is no success says. A 5xx may come after the work was done (chatwoot/chatwoot#6446). */
function refusalOf(what: string, response: Response, text: string): ChatwootError {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  const isUncertain = response.status >= 500 || response.status === 408
  return new ChatwootError(what, {
    status: response.status,
    isUncertain,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
    said: saidIn(text),
  })
}

function saidIn(text: string): string {
  try {
    const { error, message, errors } = JSON.parse(text) as Record<string, unknown>
    const said = error ?? message ?? errors
    return (typeof said === 'string' ? said : JSON.stringify(said ?? '')).slice(0, 200)
  } catch {
    return ''
  }
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > maxResponseBytes) throw new Error('the response is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** True if no connection came about, so that Chatwoot cannot have seen the request. */
function wasRefused(error: unknown): boolean {
  return /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|UND_ERR_CONNECT_TIMEOUT)$/.test(causeOf(error))
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = (cause as { code?: unknown } | undefined)?.code
  if (typeof code === 'string') return code
  return cause instanceof Error ? cause.name : 'unknown'
}

/** Waits, or rejects when `signal` aborts. */
export function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal })
}
