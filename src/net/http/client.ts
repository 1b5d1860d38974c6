import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { validateHeaderName, validateHeaderValue } from '../../runtime/system/http.ts'
import type { OutgoingConnectionOptions, Trusting } from '../dial/connection.ts'
import { addressRefused, malformed, NetFailure, tooLarge } from '../failure.ts'
import { readDestination } from '../guard/destination.ts'
import { maxTransferTime, stepLimits, type Time, Timeouts } from '../timeouts.ts'
import { beginningOf, boundedBody, wholeBody } from './body.ts'
import { HttpExchanges, type KeepLimits, type Progress } from './exchange.ts'
import {
  type HttpDownload,
  type HttpFailure,
  type HttpOpened,
  type HttpRequest,
  type HttpResponse,
  usualHttpLimits,
} from './request.ts'
import { encodeBody } from './request-body.ts'
import { UnreadableFile } from './upload.ts'

/**
 * Sends the requests of drivers whose networks have an HTTP API. Nothing that the network does makes it throw, and no result
 * contains any part of a URL or the value of a header that was sent.
 *
 * All clients share their connections. Each request under way has a connection of its own, so requests that hang take
 * nothing from others; the drivers bound the number of requests through the concurrency limits of their instances. Only idle
 * connections are shared, by origin, and bounded in number and time.
 */
export interface HttpClient {
  /** Sends a request once, and reads the whole response. A request that broke is never repeated. */
  request(request: HttpRequest): Promise<HttpResponse | HttpFailure>
  /** Gets a file. Resolves once the headers of the response are there. */
  open(download: HttpDownload): Promise<HttpOpened | HttpFailure>
}

export interface HttpClientOptions extends OutgoingConnectionOptions {
  /** Blocks of addresses (CIDR) that requests may go to though they are not public, by plain http and on any port too. */
  readonly allowedBlocks: readonly string[]
  readonly userAgent: string
  /** For the connections that are kept. */
  readonly keep?: KeepLimits
}

/** The clients of this process. */
export interface HttpClients {
  /** The client of a party, which is an organization: look-ups of names take turns by it. */
  of(party: string): HttpClient
  /** Ends the idle connections; the signals of requests end those under way. */
  close(): void
}

/** Connections are shared by requests to one origin. Many servers close theirs soon. */
const usualKeep: KeepLimits = { perName: 256, idle: 15_000, lifetime: 600_000 }

/** Makes the clients of this process. */
export function httpClients(options: HttpClientOptions): HttpClients {
  const client = new GuardedHttpClient(options)
  return {
    of: (party) => ({
      request: (request) => client.request(request, party),
      open: (download) => client.open(download, party),
    }),
    close: () => client.close(),
  }
}

class GuardedHttpClient {
  readonly #time: Time
  readonly #exchanges: HttpExchanges
  readonly #headers: OutgoingHttpHeaders

  constructor(options: HttpClientOptions) {
    this.#time = options
    this.#exchanges = new HttpExchanges(options, options.keep ?? usualKeep)
    this.#headers = { Accept: '*/*', 'Accept-Encoding': 'identity', 'User-Agent': options.userAgent }
  }

  async request(request: HttpRequest, party: string): Promise<HttpResponse | HttpFailure> {
    const body = request.body && encodeBody(request.body)
    const timeouts = this.#timeouts(request)
    const progress: Progress = { stage: 'preparing' }
    try {
      const { method, isRepeatable, onlyBeginning = false, maxBytes } = request
      const to = prepared(request, timeouts)
      const headers = { ...this.#headers, ...request.headers }
      const exchange = { to, party, method, headers, body, isRepeatable, keptAs: nameOf(to, request) }
      const exchanged = await this.#exchanges.exchange(exchange, timeouts, progress)
      const { response } = exchanged
      if (!onlyBeginning) checkHeaders(response, maxBytes)
      const read = onlyBeginning ? beginningOf : wholeBody
      const bytes = await read(exchanged, maxBytes, timeouts)
      await exchanged.keep()
      return { ...shown(response, request), body: bytes }
    } catch (caught) {
      return failed(caught, progress, request, timeouts)
    } finally {
      timeouts.end()
    }
  }

  async open(download: HttpDownload, party: string): Promise<HttpOpened | HttpFailure> {
    const timeouts = this.#timeouts({ ...download, limits: { total: maxTransferTime, ...download.limits } })
    const progress: Progress = { stage: 'preparing' }
    try {
      const to = prepared(download, timeouts)
      const headers = { ...this.#headers, ...download.headers }
      const exchange = { to, party, method: 'GET', headers } as const
      const { response } = await this.#exchanges.exchange(exchange, timeouts, progress)
      checkHeaders(response, download.maxBytes)
      const body = boundedBody(response, download.maxBytes, timeouts)
      return { ...shown(response, download), size: sizeOf(response), body }
    } catch (caught) {
      const failure = failed(caught, progress, download, timeouts)
      timeouts.end()
      return failure
    }
  }

  close(): void {
    this.#exchanges.close()
  }

  #timeouts({ limits, signal }: HttpDownload): Timeouts {
    const { connect, headers, idle, total } = { ...usualHttpLimits, ...limits }
    return new Timeouts(this.#time, total, signal, { ...stepLimits, connect, headers, stall: idle })
  }
}

/** In UTF-16 units. A service for files of XMPP repeats their names, percent-encoded. */
const longestUrl = 8_192

/** Checks all that can be wrong with a request before a connection is opened for it. */
function prepared({ url, headers, ca, proxy, guard }: HttpDownload, { signal }: Timeouts): Trusting {
  signal.throwIfAborted()
  try {
    for (const [name, values] of Object.entries(headers ?? {})) {
      validateHeaderName(name)
      for (const value of [values].flat()) validateHeaderValue(name, value)
    }
  } catch {
    throw new NetFailure('refused', true, 'a header of the request has characters that HTTP does not allow')
  }
  return {
    ...readDestination(url, undefined, longestUrl),
    ...(ca !== undefined && { ca }),
    ...(proxy && { proxy }),
    ...(guard && { guard }),
  }
}

/**
 * Returns the name under which a connection is kept: it is used again only for requests that trust the same authorities and
 * go through the same proxy. One that another guard allowed is not kept.
 */
function nameOf({ url, ca = '', proxy, guard }: Trusting, { keptFor = '' }: HttpRequest): string | undefined {
  if (guard) return undefined
  return JSON.stringify([keptFor, url.origin, ca, proxy?.url, proxy?.username, proxy?.password])
}

function checkHeaders(response: IncomingMessage, maxBytes: number): void {
  // A few bytes that unpack to many would be counted as few; it was asked to send them as they are.
  if (!/^(identity)?$/i.test(response.headers['content-encoding'] ?? ''))
    throw malformed('the server compressed its response, although it was asked not to')
  if ((sizeOf(response) ?? 0) > maxBytes) throw tooLarge(maxBytes)
}

function sizeOf({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}

function shown(
  { statusCode: status = 0, headers }: IncomingMessage,
  { wantedHeaders = [] }: HttpDownload,
): Pick<HttpResponse, 'kind' | 'status' | 'headers'> {
  const wanted = wantedHeaders.flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value]] : []
  })
  return { kind: 'responded', status, headers: Object.fromEntries(wanted) }
}

/** Anything that was thrown, as a result. Only clauses of this folder are repeated, never those of Node or the server. */
function failed(
  caught: unknown,
  { stage, status }: Progress,
  { signal }: HttpDownload,
  timeouts: Timeouts,
): HttpFailure {
  const phase = stage === 'asking' ? 'after-sending' : 'before-sending'
  const all = { kind: 'failed', phase, ...(status !== undefined && { status }) } as const
  const error = timeouts.failureFrom(caught)
  if (!(error instanceof NetFailure) || (signal.aborted && error === signal.reason))
    return { ...all, reason: 'aborted', error }
  if (caught instanceof UnreadableFile && !timeouts.signal.aborted)
    return { ...all, reason: 'file', error: caught.cause }
  const { reason } = error
  if (reason === 'refused' && stage === 'connecting') return { ...all, reason, error: connectRefused() }
  if (reason === 'unreachable' && stage === 'asking')
    return {
      ...all,
      reason: 'lost',
      error: new NetFailure('lost', false, 'the connection to the server broke'),
    }
  return { ...all, reason: reason === 'status' ? 'malformed' : reason, error }
}

/** Names the setting, for the operator. */
function connectRefused(): NetFailure {
  return addressRefused('that address (POSTHORN_CONNECT_ALLOW_CIDRS)')
}
