import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type Answer, ask } from './ask.ts'
import { type Connect, type ConnectionOptions, guardedConnect } from './connection.ts'
import { type Destination, readDestination } from './destination.ts'
import { FetchFailure } from './failure.ts'
import { type Connection, KeptConnections } from './kept-connections.ts'
import { type Time, Timeouts } from './timeouts.ts'

export interface PostRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Whose post it is. Only posts of one owner to one URL go over the same connection. */
  readonly owner: string
  /** Ends the post at any moment; it then fails with the reason of the signal. */
  readonly signal: AbortSignal
}

export interface Posted {
  /** Any status, redirects too: what is posted is meant for one place. */
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The first bytes of the body, as far as they came. */
  readonly beginning: Uint8Array
}

export interface GuardedPostOptions extends ConnectionOptions {
  /** How many connections wait for further posts of one owner to one URL. */
  readonly keptConnections: number
}

/** How long everything may take, in milliseconds. */
const totalLimit = 20_000

/** How many bytes of a body are read. Where there are more, the connection is given up. */
const largestBeginning = 1_024

/**
 * How long a connection is used for further posts, from when its name was looked up, in milliseconds. A name that leads
 * elsewhere is followed after that time at the latest.
 */
const connectionLifetime = 60_000

/**
 * Posts to places that others name, by the steps of the guarded fetch: the URL is judged and looked up, and a vetted address
 * is dialled. A connection on which an answer came to its end is kept for the next post of the same owner. Of each owner and URL
 * `keptConnections` are kept: whoever posts more at a time pays for a new connection with each.
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
   * Posts once. It has succeeded as soon as there is a status: a body that breaks off or hangs changes nothing about it, as
   * the receiver has said what it had to. Throws a FetchFailure, or the reason of the signal.
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

  /** Ends the connections that are kept. Posts under way go on, and are ended by their signals. */
  close(): void {
    this.#kept.close()
  }

  /** Asks on a kept connection, or on a new one. */
  async #ask(name: string, request: PostRequest, to: Destination, timeouts: Timeouts): Promise<Asked> {
    const kept = this.#kept.take(name)
    if (kept === undefined) return this.#askAnew(request, to, timeouts)
    try {
      return await askOn(kept, request, to, timeouts)
    } catch (caught) {
      const failure = timeouts.failureFrom(caught)
      const isStale = failure instanceof FetchFailure && failure.reason === 'lost'
      if (!isStale) throw failure
      // Receivers end connections that nothing was sent on for a while, maybe in the moment in which something is.
      return this.#askAnew(request, to, timeouts)
    }
  }

  async #askAnew(request: PostRequest, to: Destination, timeouts: Timeouts): Promise<Asked> {
    const until = this.#time.clock.monotonic() + connectionLifetime
    const socket = await this.#connect(to, timeouts)
    return askOn({ socket, until }, request, to, timeouts)
  }
}

interface Asked extends Answer {
  readonly connection: Connection
}

async function askOn(
  connection: Connection,
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
 * The beginning of a body, or as much of it as comes in time. After that the connection is free, or gone with the rest of the
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
    // The status stands.
  }
  // Where the answer came before the request was written to its end, that is waited for too.
  await free
  alarm.cancel()
  return Buffer.concat(chunks).subarray(0, largestBeginning)
}
