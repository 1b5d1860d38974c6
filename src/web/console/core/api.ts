import { RefusedError, refusalOf } from '../../browser/refused.ts'
import { type Answer, contract, type OperationId, type Request } from './operations.ts'
import { doubt, heard, isFromServer, read } from './reach/reach.ts'
import { serverUrl, sessionUrl } from './reach/server-url.ts'

/** Milliseconds that a response may take: the server lets no client wait as long. */
const longestAnswer = 60_000
/** Statuses by which a proxy says that it does not reach the server. */
const hasNoRecipient: readonly number[] = [502, 503, 504]

/** Reason why a page can send no more requests: its session is over, or another tab has signed in with another key. */
export type Ending = 'signed_out' | 'session_changed'

const onEnd = new Set<(why: Ending) => void>()

/** Calls `then` when the session of this page is over. Returns a function that ends that. */
export function whenSessionEnds(then: (why: Ending) => void): () => void {
  onEnd.add(then)
  return () => onEnd.delete(then)
}

const end = (why: Ending) => {
  for (const then of onEnd) then(why)
}

/** Tabs tell each other which key has signed in: they share one cookie. */
const tabs = new BroadcastChannel('posthorn-signed-in')
let opener: string | undefined

/** Notes the key by which this page was opened, or that there is none yet: all requests are sent in its name only. */
export function openFor(who: { readonly key: { readonly id: string } | null } | undefined): void {
  opener = who && (who.key?.id ?? 'operator')
  if (opener !== undefined) tabs.postMessage(opener)
}

tabs.onmessage = ({ data }) => {
  if (opener !== undefined && data !== opener) end('session_changed')
}

/** Returns the header by which the server refuses requests of this page after another tab has signed in with another key. */
export function openerHeader(): Record<string, string> {
  return opener === undefined ? {} : { 'posthorn-opened-by': opener }
}

/** The URL of a call, for links and pictures. Throws a `RefusedError` for a name that none can have. */
export function urlOf<Id extends OperationId>(id: Id, { params, query }: Request<Id> = {}): URL {
  const operation = contract.operations[id]
  if (!operation) throw new Error(`the server does not know the operation ${id}`)
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String((params as Readonly<Record<string, unknown>> | undefined)?.[name] ?? '')
    // URLs swallow these segments, encoded or not, and the request would reach another operation.
    if (['', '.', '..'].includes(value)) throw new RefusedError(404, null)
    return encodeURIComponent(value)
  })
  const url = new URL(path.slice(1), serverUrl)
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value))
  }
  return url
}

/** Calls an operation of the contract. Throws a `RefusedError`, or what `fetch` throws if the server is out of reach. */
export async function call<Id extends OperationId>(
  id: Id,
  request: Request<Id> = {},
  signal?: AbortSignal,
): Promise<Answer<Id>> {
  const { body, headers } = request
  const isForm = body instanceof FormData
  const url = urlOf(id, request)
  const method = contract.operations[id]?.method ?? 'GET'
  const answer = async (also: readonly AbortSignal[]) => {
    const response = await ask(url, {
      method,
      headers: {
        accept: 'application/json, application/problem+json',
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        ...openerHeader(),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      signal: AbortSignal.any([...also, ...(signal ? [signal] : [])]),
    })
    return (await bodyOf(response)) as Answer<Id>
  }
  // A change may still be made when the server is lost, and a file may take its time.
  if (method !== 'GET') return answer(isForm ? [] : [AbortSignal.timeout(longestAnswer)])
  return read((lost) => answer([lost, AbortSignal.timeout(longestAnswer)]))
}

/** Returns true if a call failed because the server is out of reach, or did not respond in time. */
export function isOutOfReach(error: unknown): boolean {
  if (error instanceof RefusedError) return error.problem === null && hasNoRecipient.includes(error.status)
  return error instanceof TypeError || isTimeout(error)
}

/** Returns true if a call ended because the response took too long. */
export function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError'
}

/** Asks the server, and notes whether it is in reach. Throws what `fetch` throws. */
export async function ask(url: URL, init: RequestInit = {}): Promise<Response> {
  try {
    const response = await fetch(url, init)
    if (isFromServer(response)) heard()
    else if (hasNoRecipient.includes(response.status)) doubt()
    return response
  } catch (error) {
    // The caller may have gone.
    if (!(error instanceof DOMException && error.name === 'AbortError')) doubt()
    throw error
  }
}

/**
 * Resolves with true if this browser has a session. The server tells that without a refusal, which would stand in the log of
 * the page.
 */
export async function isSignedIn(): Promise<boolean> {
  const answer = await bodyOf(await ask(sessionUrl()))
  return (answer as { readonly signed_in: boolean }).signed_in
}

/** Exchanges a key, a one-time code or the operator's token for a session of this browser. */
export async function signIn(
  proof: { readonly key: string } | { readonly code: string } | { readonly operator_token: string },
): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  await bodyOf(await ask(sessionUrl(), { method: 'POST', headers, body: JSON.stringify(proof) }))
}

/**
 * Ends the session of this browser, or all sessions of the same key. Throws if that failed: a person who leaves must know.
 */
export async function signOut(everywhere: boolean): Promise<void> {
  const url = sessionUrl()
  if (everywhere) url.searchParams.set('everywhere', 'true')
  const response = await ask(url, { method: 'DELETE', headers: openerHeader() })
  if (response.status !== 401) await bodyOf(response)
  end('signed_out')
}

/** A key under which a request may be repeated. `crypto.randomUUID` is missing on plain HTTP. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Reads a response as JSON. Throws a `RefusedError` if it is no success, or a page that a proxy sent in place of the server.
 */
export async function bodyOf(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? ''
  const text = response.ok ? await response.text() : ''
  if (response.ok && type.startsWith('application/json')) return JSON.parse(text)
  if (response.ok && text === '') return undefined
  const refusal = await refusalOf(response)
  if (refusal.status === 401) end('signed_out')
  if (refusal.code === 'session_changed') end('session_changed')
  throw refusal
}
