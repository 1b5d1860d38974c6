import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { outboundGuard } from '../outbound-guard.ts'
import { boundedBody } from './body.ts'
import { type Destination, readDestination } from './destination.ts'
import { dial } from './dial.ts'
import { malformed, statusFailure, tooLarge } from './failure.ts'
import { headerText } from './header-text.ts'
import { Patience, type Time } from './patience.ts'
import { suggestedFilename } from './suggested-filename.ts'
import { vettedAddresses } from './vetted-addresses.ts'

export interface GuardedFetchOptions extends Time {
  /** Blocks of addresses (CIDR) that are fetched from though they are not public, by plain http and on any port too. */
  readonly allowedBlocks: readonly string[]
  /** Certificate authorities to trust instead of those that Node trusts, in PEM. */
  readonly ca?: string
  /** Name servers to ask instead of the system's, as `address:port`. */
  readonly nameServers?: readonly string[]
}

export type FetchRequest = {
  readonly url: string
  /** How many bytes the body may have. */
  readonly largest: number
  /** Whether the answer is what is wanted; 200 alone is without it. */
  readonly accepts?: (status: number) => boolean
  /** Ends the fetch at any moment, also while the body is read; it then fails with the reason of the signal. */
  readonly signal: AbortSignal
} & (Get | Post)

export interface Get {
  readonly method: 'GET'
  /** How many redirects are followed; one more is a failure. With 0, a redirect is an answer like any other. */
  readonly redirects: number
}

/** What is posted is meant for one place: its redirects are answers like any other. */
export interface Post {
  readonly method: 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export interface Fetched {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** As the server or the URL says it, for the caller to clean: it may be a path, hold anything, and be long. */
  readonly suggestedFilename: string | undefined
  /** The bytes, as they come. It must be read or destroyed; else it lasts until the time for the whole is over. */
  readonly body: Readable
}

/**
 * Fetches a URL that somebody else chose. The answer is there once its headers are; its body is read by the caller. Throws
 * a FetchFailure, before or while the body is read, or the reason of the signal.
 */
export type GuardedFetch = (request: FetchRequest) => Promise<Fetched>

/** Where redirects are followed to (RFC 9110 section 15.4); other statuses of that kind lead nowhere. */
const redirectStatuses = new Set([301, 302, 303, 307, 308])

/** How much a server may say in headers, in bytes. */
const largestHeaders = 16_384

/** What everybody is told, and all they are told, about who asks and what is wanted. */
const ownHeaders = { Accept: '*/*', 'Accept-Encoding': 'identity', 'User-Agent': 'Posthorn' }

/**
 * The one way to places that others name. A URL, and each redirect anew, is judged and looked up once; all its addresses must
 * be good; one of them is dialled, for this one request. No cookie goes along, no referrer, and no proxy is asked.
 */
export function guardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const guard = outboundGuard(options.allowedBlocks)

  const ask = async (
    to: Destination,
    request: FetchRequest,
    patience: Patience,
  ): Promise<IncomingMessage> => {
    const addresses = await vettedAddresses(to, guard, patience, options.nameServers)
    const dialled = dial(to, addresses, patience.signal, options.ca)
    const socket = await patience.during('connect', dialled)
    return patience.during('headers', answerOf(socket, to, request))
  }

  const follow = async (request: FetchRequest, patience: Patience): Promise<Fetched> => {
    const most = request.method === 'GET' ? request.redirects : 0
    let to = readDestination(request.url)
    for (let followed = 0; ; followed++) {
      patience.signal.throwIfAborted()
      const answer = await ask(to, request, patience)
      if (most === 0 || !redirectStatuses.has(answer.statusCode ?? 0))
        return fetched(answer, to, request, patience)
      answer.destroy()
      if (followed === most) throw malformed(`the server redirects more than ${most} times`)
      const { location } = answer.headers
      if (location === undefined) throw malformed('the server redirects without saying where to')
      to = readDestination(headerText(location), to)
    }
  }

  return async (request) => {
    const patience = new Patience(options, request.signal)
    try {
      return await follow(request, patience)
    } catch (caught) {
      const failure = patience.failureFrom(caught)
      patience.end()
      throw failure
    }
  }
}

/** Asks on a connection that is there, which ends with the answer. */
function answerOf(socket: Socket, { url }: Destination, request: FetchRequest): Promise<IncomingMessage> {
  const asked = requestHttp({
    createConnection: () => socket,
    method: request.method,
    path: `${url.pathname}${url.search}`,
    setHost: false,
    headers: { ...(request.method === 'POST' && request.headers), ...ownHeaders, Host: url.host },
    maxHeaderSize: largestHeaders,
  })
  asked.end(request.method === 'POST' ? request.body : undefined)
  return new Promise((resolve, reject) => {
    asked.on('response', (answer) => {
      // Whoever reads the answer is told what ended it, and before that it is nobody's.
      answer.on('error', () => {})
      resolve(answer)
    })
    asked.on('error', reject)
    // An answer that asks to go on in another protocol ends without an error.
    asked.on('close', () => reject(malformed('the server gave no answer')))
  })
}

/** The answer as the caller gets it, once its status and headers are found good. */
function fetched(
  answer: IncomingMessage,
  { url }: Destination,
  request: FetchRequest,
  patience: Patience,
): Fetched {
  const { headers, statusCode: status = 0 } = answer
  const { accepts = (status) => status === 200, largest } = request
  if (!accepts(status)) throw statusFailure(status)
  // A few bytes that unpack to many would be counted as few; it was asked to send them as they are.
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? ''))
    throw malformed('the server sends the file compressed')
  if (Number(headers['content-length'] ?? 0) > largest) throw tooLarge(largest)
  return {
    status,
    headers,
    suggestedFilename: suggestedFilename(headers['content-disposition'], url),
    body: boundedBody(answer, largest, patience),
  }
}
