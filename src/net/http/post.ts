import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type Connect, guardedConnect, type OutgoingConnectionOptions } from '../dial/connection.ts'
import { NetFailure } from '../failure.ts'
import { type Destination, readDestination } from '../guard/destination.ts'
import { type Time, Timeouts } from '../timeouts.ts'
import { ask, type HttpExchangeAnswer } from './exchange.ts'
import { KeptConnections, type PooledConnection } from './pool.ts'

export interface PostRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** The organization for which it is posted. */
  readonly party: string
  /** The owner. Only posts of one owner to one URL share a connection. */
  readonly owner: string
  /** Ends the post at any moment; it then fails with the reason of the signal. */
  readonly signal: AbortSignal
}

export interface Posted {
  /** Any status, including redirects: the post is meant for one host only. */
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The first bytes of the body, as far as they came. */
  readonly beginning: Uint8Array
}

export interface GuardedPostOptions extends OutgoingConnectionOptions {
  /** Idle connections that are kept for further posts of one owner to one URL. */
  readonly keptConnections: number
}

/** Milliseconds that one post may take in all. */
const totalLimit = 20_000

/** Bytes of a response body that are read. If there are more, the connection is closed. */
const largestBeginning = 1_024

/**
 * Milliseconds for which a connection is used for further posts, from when its name was resolved. A changed address of the
 * name is noticed after this time at the latest.
 */
const connectionLifetime = 60_000

/**
 * Posts to hosts that others name, with the steps of the guarded fetch: the URL is checked and resolved, and a checked address
 * is used. After a complete answer, the connection is kept for the next post of the same owner. For each owner and URL,
 * `keptConnections` are kept: more concurrent posts each need a new connection.
 */
export class GuardedPost {
  readonly #time: Time
  readonly #connect: Connect
  readonly #kept: KeptConnections

  constructor(options: GuardedPostOptions) {
    this.#time = options
    this.#connect = guardedConnect(options)
    this.#kept = new KeptConnections(options, options.keptConnections)
  }

  /**
   * Posts once. It has succeeded as soon as there is a status: a body that breaks off or hangs changes nothing, because
   * the receiver has given its answer. Throws a NetFailure, or the reason of the signal.
   */
  async post(request: PostRequest): Promise<Posted> {
    const timeouts = new Timeouts(this.#time, totalLimit, request.signal)
    try {
      timeouts.signal.throwIfAborted()
      const to = readDestination(request.url)
      const name = `${request.owner} ${to.url.href}`
      const { answer, free, connection } = await this.#ask(name, request, to, timeouts)
      const { headers, statusCode: status = 0 } = answer
      const beginning = await beginningOf(answer, free, timeouts)
      if (await free) this.#kept.keep(name, connection)
      return { status, headers, beginning }
    } catch (caught) {
      throw timeouts.failureFrom(caught)
    } finally {
      timeouts.end()
    }
  }

  /** Closes the kept connections. Posts under way continue; their signals end them. */
  close(): void {
    this.#kept.close()
  }

  /** Sends the request on a kept connection, or on a new one. */
  async #ask(name: string, request: PostRequest, to: Destination, timeouts: Timeouts): Promise<Asked> {
    const kept = this.#kept.take(name)
    if (kept === undefined) return this.#askAnew(request, to, timeouts)
    try {
      return await askOn(kept, request, to, timeouts)
    } catch (caught) {
      const failure = timeouts.failureFrom(caught)
      const isStale = failure instanceof NetFailure && failure.reason === 'lost'
      if (!isStale) throw failure
      // Receivers close idle connections, possibly at the very moment a request is sent.
      return this.#askAnew(request, to, timeouts)
    }
  }

  async #askAnew(request: PostRequest, to: Destination, timeouts: Timeouts): Promise<Asked> {
    const until = this.#time.clock.monotonic() + connectionLifetime
    const socket = await this.#connect(to, request.party, timeouts)
    return askOn({ socket, until }, request, to, timeouts)
  }
}

interface Asked extends HttpExchangeAnswer {
  readonly connection: PooledConnection
}

async function askOn(
  connection: PooledConnection,
  request: PostRequest,
  to: Destination,
  { signal }: Timeouts,
): Promise<Asked> {
  const { headers, body } = request
  const all = { Accept: '*/*', 'Accept-Encoding': 'identity', ...headers }
  const question = { method: 'POST', headers: all, body, keepAlive: true, signal } as const
  return { ...(await ask(connection.socket, to, question)), connection }
}

/**
 * The beginning of a body, or as much as arrives in time. After that the connection is free, or closed together with the rest of the
 * body.
 */
async function beginningOf(
  answer: IncomingMessage,
  free: Promise<boolean>,
  timeouts: Timeouts,
): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let count = 0
  const alarm = timeouts.alarm('beginning', () => timeouts.end())
  try {
    for await (const chunk of answer) {
      chunks.push(chunk)
      count += chunk.length
      if (count > largestBeginning) timeouts.end()
    }
  } catch {
    // The status remains valid.
  }
  // If the answer came before the request was written completely, wait for that too.
  await free
  alarm.cancel()
  return Buffer.concat(chunks).subarray(0, largestBeginning)
}
