import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { OutgoingConnectionOptions } from '../dial/connection.ts'
import { malformed, statusFailure, tooLarge } from '../failure.ts'
import { type Destination, readDestination } from '../guard/destination.ts'
import { boundedBody } from '../http/body.ts'
import { HttpExchanges } from '../http/exchange.ts'
import { maxTransferTime, Timeouts, type TotalTime } from '../timeouts.ts'
import { headerText, suggestedFilename } from './suggested-filename.ts'

export interface FetchRequest {
  readonly url: string
  /** The organization for which it is fetched. */
  readonly party: string
  /** Bytes that the body may have. */
  readonly largest: number
  /** Redirects that are followed; one more is a failure. */
  readonly redirects: number
  /** An address of the host, if it is known to be allowed. Then redirects are not followed. */
  readonly address?: string
  /** Ends the fetch at any moment, also while the body is read; it then fails with the reason of the signal. */
  readonly signal: AbortSignal
}

export interface Fetched {
  readonly headers: IncomingHttpHeaders
  /** As the server or the URL says it, for the caller to clean: it may be a path, hold anything, and be long. */
  readonly suggestedFilename: string | undefined
  /** The bytes, as they come. It must be read or destroyed; else it lasts until the time for the whole is over. */
  readonly body: Readable
}

/**
 * Fetches a URL that another party chose. Resolves once the headers of the response have come; the caller reads the body.
 * Throws a NetFailure, before or while the body is read, or the reason of the signal.
 */
export type GuardedFetch = (request: FetchRequest) => Promise<Fetched>

/** The statuses whose redirects are followed (RFC 9110 section 15.4). */
const redirectStatuses = new Set([301, 302, 303, 307, 308])

/** The default of `base`, in milliseconds. */
const usualBase = 60_000

/** Milliseconds for a file besides the time for its bytes at the slowest pace. */
export interface FileTime {
  readonly base?: number
}

/** The time for fetching one file. */
export function fileTime({ base = usualBase }: FileTime): TotalTime {
  return { base, max: maxTransferTime }
}

/** The time is for everything: all redirects and the whole body. */
export type FetchOptions = OutgoingConnectionOptions & FileTime

/** The headers of every request: nothing else is revealed about the sender. */
const headers = { Accept: '*/*', 'Accept-Encoding': 'identity', 'User-Agent': 'Posthorn' }

/**
 * Fetches from hosts that others name. The URL, and each redirect, is checked and resolved for this one request.
 * No cookie goes along and no referrer.
 */
export function guardedFetch(options: FetchOptions): GuardedFetch {
  const exchanges = new HttpExchanges(options)

  const follow = async (request: FetchRequest, timeouts: Timeouts): Promise<Fetched> => {
    const { party, address } = request
    const redirects = address === undefined ? request.redirects : 0
    let to = readDestination(request.url)
    for (let followed = 0; ; followed++) {
      const exchange = { to, party, address, method: 'GET', headers } as const
      const { response } = await exchanges.exchange(exchange, timeouts)
      if (!redirectStatuses.has(response.statusCode ?? 0)) return fetched(response, to, request, timeouts)
      response.destroy()
      if (followed === redirects) throw malformed(`the server redirects more than ${redirects} times`)
      const { location } = response.headers
      if (location === undefined) throw malformed('the server redirects without saying where to')
      to = readDestination(headerText(location), to)
    }
  }

  return async (request) => {
    const timeouts = new Timeouts(options, fileTime(options), request.signal)
    try {
      return await follow(request, timeouts)
    } catch (caught) {
      const failure = timeouts.failureFrom(caught)
      timeouts.end()
      throw failure
    }
  }
}

/** The response as the caller gets it, once its status and headers are found good. */
function fetched(
  response: IncomingMessage,
  { url }: Destination,
  request: FetchRequest,
  timeouts: Timeouts,
): Fetched {
  const { headers, statusCode: status = 0 } = response
  const { largest } = request
  if (status !== 200) throw statusFailure(status)
  // A few bytes that unpack to many would be counted as few; it was asked to send them as they are.
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? ''))
    throw malformed('the server sends the file compressed')
  if (Number(headers['content-length'] ?? 0) > largest) throw tooLarge(largest)
  return {
    headers,
    suggestedFilename: suggestedFilename(headers['content-disposition'], url),
    body: boundedBody(response, largest, timeouts),
  }
}
