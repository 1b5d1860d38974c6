import { type IncomingMessage, validateHeaderName, validateHeaderValue } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import {
  type Connect,
  guardedConnect,
  type OutgoingConnectionOptions,
  type Trusting,
} from '../dial/connection.ts'
import { addressRefused, malformed, NetFailure, tooLarge } from '../failure.ts'
import { readDestination } from '../guard/destination.ts'
import { maxTransferTime, stepLimits, type Time, Timeouts } from '../timeouts.ts'
import { boundedBody, wholeBody } from './body.ts'
import { ask, type HttpExchangeAnswer } from './exchange.ts'
import { KeptConnections, type PooledConnection } from './pool.ts'
import {
  type HttpAnswer,
  type HttpDownload,
  type HttpFailure,
  type HttpOpened,
  type HttpRequest,
  usualHttpLimits,
} from './request.ts'
import { encodeBody } from './request-body.ts'
import { BodyUpload, UnreadableFile } from './upload.ts'

/**
 * Sends the requests of drivers whose networks have an HTTP API. Nothing that the network does makes it throw, and no result
 * contains any part of a URL or the value of a header that was sent.
 *
 * All clients share their connections. Each request under way has a connection of its own, so requests that hang take
 * nothing from others; the drivers bound the number of requests through the concurrency limits of their instances. Only idle
 * connections are shared, by origin, and bounded in number and time.
 */
export interface HttpClient {
  /** Asks once, and reads the whole answer. A request that broke is never repeated. */
  request(request: HttpRequest): Promise<HttpAnswer | HttpFailure>
  /** Gets a file. The answer is there once its headers are. */
  open(download: HttpDownload): Promise<HttpOpened | HttpFailure>
}

export interface HttpClientOptions extends OutgoingConnectionOptions {
  /** Blocks of addresses (CIDR) that requests may go to though they are not public, by plain http and on any port too. */
  readonly allowedBlocks: readonly string[]
  readonly userAgent: string
}

/** The clients of this process. */
export interface HttpClients {
  /** The client of a party, which is an organization: look-ups of names take turns by it. */
  of(party: string): HttpClient
  /** Ends the idle connections; the signals of requests end those under way. */
  close(): void
}

/** Connections to one origin that are kept for further requests. */
const maxKept = 256

/** Milliseconds for which an idle connection is kept, unless the server announces fewer. Many servers close theirs soon. */
const longestIdle = 15_000

/** Milliseconds before the server closes a connection from which on it is no longer used. */
const safetyMargin = 1_000

/** Milliseconds for which a connection is used, from the look-up of its name: the name may lead elsewhere by then. */
const connectionLifetime = 600_000

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

type Stage = 'preparing' | 'connecting' | 'asking'

/** The progress of a request. */
interface Progress {
  stage: Stage
  status?: number
}

class GuardedHttpClient {
  readonly #time: Time
  readonly #connect: Connect
  readonly #kept: KeptConnections
  readonly #headers: Readonly<Record<string, string>>

  constructor(options: HttpClientOptions) {
    this.#time = options
    this.#connect = guardedConnect(options)
    this.#kept = new KeptConnections(options, maxKept)
    this.#headers = { Accept: '*/*', 'Accept-Encoding': 'identity', 'User-Agent': options.userAgent }
  }

  async request(request: HttpRequest, party: string): Promise<HttpAnswer | HttpFailure> {
    const body = request.body && encodeBody(request.body)
    const timeouts = this.#timeouts(request)
    const upload = body && new BodyUpload(body, timeouts)
    const progress: Progress = { stage: 'preparing' }
    try {
      const to = prepared(request, timeouts)
      await upload?.open()
      progress.stage = 'connecting'
      const connection = (await this.#take(nameOf(to))) ?? (await this.#open(to, party, timeouts))
      const { socket } = connection
      if (timeouts.signal.aborted) socket.destroy()
      timeouts.signal.throwIfAborted()
      const headers = {
        ...this.#headers,
        ...request.headers,
        ...(body && { 'Content-Type': body.type, 'Content-Length': String(body.length) }),
      }
      const { method } = request
      const { signal } = timeouts
      const { answer, free } = await answered(timeouts, upload, (write) => {
        const asked = ask(socket, to, {
          method,
          headers,
          keepAlive: true,
          signal,
          ...(write && { body: write }),
        })
        progress.stage = 'asking'
        return asked
      })
      progress.status = answer.statusCode ?? 0
      checkHeaders(answer, request.maxBytes)
      const bytes = await wholeBody(answer, request.maxBytes, timeouts)
      // If the answer came before the request was written to its end, the rest is not worth the wait.
      if (upload?.isSent !== false && (await free)) this.#kept.keep(nameOf(to), connection, idleTime(answer))
      return { ...shown(answer, request), body: bytes }
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
      progress.stage = 'connecting'
      const { socket } = await this.#open(to, party, timeouts)
      const headers = { ...this.#headers, ...download.headers }
      const { signal } = timeouts
      const { answer } = await answered(timeouts, undefined, () => {
        const asked = ask(socket, to, { method: 'GET', headers, keepAlive: false, signal })
        progress.stage = 'asking'
        return asked
      })
      progress.status = answer.statusCode ?? 0
      checkHeaders(answer, download.maxBytes)
      const body = boundedBody(answer, download.maxBytes, timeouts)
      return { ...shown(answer, download), size: sizeOf(answer), body }
    } catch (caught) {
      const failure = failed(caught, progress, download, timeouts)
      timeouts.end()
      return failure
    }
  }

  close(): void {
    this.#kept.close()
  }

  #timeouts({ limits, signal }: HttpDownload): Timeouts {
    const { connect, headers, idle, total } = { ...usualHttpLimits, ...limits }
    return new Timeouts(this.#time, total, signal, { ...stepLimits, connect, headers, stall: idle })
  }

  /** Resolves with a kept connection that is open as far as this process can know. */
  async #take(name: string): Promise<PooledConnection | undefined> {
    // If the server has closed a connection, Node learns of it in a whole turn, and it is kept no longer. The first may be half over.
    await turn()
    await turn()
    return this.#kept.take(name)
  }

  async #open(to: Trusting, party: string, timeouts: Timeouts): Promise<PooledConnection> {
    const until = this.#time.clock.monotonic() + connectionLifetime
    return { socket: await this.#connect(to, party, timeouts), until }
  }
}

/** Checks all that can be wrong with a request before a connection is opened for it. */
function prepared({ url, headers, ca, proxy }: HttpDownload, { signal }: Timeouts): Trusting {
  signal.throwIfAborted()
  try {
    for (const [name, value] of Object.entries(headers ?? {})) {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    }
  } catch {
    throw new NetFailure('refused', true, 'a header of the request has characters that HTTP does not allow')
  }
  return { ...readDestination(url), ...(ca !== undefined && { ca }), ...(proxy && { proxy }) }
}

/**
 * Returns the name under which a connection is kept: it is used again only for requests that trust the same authorities and
 * go through the same proxy.
 */
function nameOf({ url, ca = '', proxy }: Trusting): string {
  return JSON.stringify([url.origin, ca, proxy?.url, proxy?.username, proxy?.password])
}

/** Waits for the answer: for the headers from when the upload is through, if there is one. */
async function answered(
  timeouts: Timeouts,
  upload: BodyUpload | undefined,
  askWith: (
    write: ((to: Parameters<BodyUpload['writeTo']>[0]) => void) | undefined,
  ) => Promise<HttpExchangeAnswer>,
): Promise<HttpExchangeAnswer> {
  if (upload === undefined) return timeouts.during('headers', askWith(undefined))
  const sent = Promise.withResolvers<void>()
  const answer = askWith((to) => upload.writeTo(to, sent.resolve))
  await Promise.race([sent.promise, answer])
  return timeouts.during('headers', answer)
}

function checkHeaders(answer: IncomingMessage, maxBytes: number): void {
  // A few bytes that unpack to many would be counted as few; it was asked to send them as they are.
  if (!/^(identity)?$/i.test(answer.headers['content-encoding'] ?? ''))
    throw malformed('the server compressed its answer, which it was asked not to do')
  if ((sizeOf(answer) ?? 0) > maxBytes) throw tooLarge(maxBytes)
}

function sizeOf({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}

/**
 * Returns the milliseconds for which the connection of this response may be idle: servers can announce when they close it.
 */
function idleTime({ headers }: IncomingMessage): number {
  const seconds = /(?:^|[,\s])timeout=(\d{1,9})/i.exec(String(headers['keep-alive']))?.[1]
  return seconds === undefined ? longestIdle : Math.min(longestIdle, Number(seconds) * 1_000 - safetyMargin)
}

function shown(
  { statusCode: status = 0, headers }: IncomingMessage,
  { wantedHeaders = [] }: HttpDownload,
): Pick<HttpAnswer, 'kind' | 'status' | 'headers'> {
  const wanted = wantedHeaders.flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value]] : []
  })
  return { kind: 'answered', status, headers: Object.fromEntries(wanted) }
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
