import { type IncomingMessage, request as requestHttp } from 'node:http'
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { endWith } from '../dial/sockets.ts'
import { malformed } from '../failure.ts'
import type { Destination } from '../guard/destination.ts'

export interface HttpQuestion {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  /** All bytes of the body; or what writes them and ends the request, or destroys it if it cannot. */
  readonly body?: Uint8Array | ((to: Writable) => void)
  /** True if the connection may be used for another request, if the server agrees. */
  readonly keepAlive: boolean
  /** Ends the connection at any moment until it is free. */
  readonly signal: AbortSignal
}

export interface HttpExchangeAnswer {
  readonly answer: IncomingMessage
  /** Settles when both sides have finished, or the connection is gone: true if it can be used for another request. */
  readonly free: Promise<boolean>
}

/** Bytes that the headers of a response may have. */
const largestHeaders = 16_384

/**
 * Interim responses (RFC 9110 section 15.2) that may come before the final one. A server may send them as fast as it can.
 */
const maxInterimAnswers = 16

/** Asks on an open connection. The answer is there once its headers are. Throws what the socket or the HTTP parser throws. */
export function ask(
  socket: Socket,
  { url }: Destination,
  { method, headers, body, keepAlive, signal }: HttpQuestion,
): Promise<HttpExchangeAnswer> {
  const letGo = endWith(signal, socket)
  const asked = requestHttp({
    createConnection: () => socket,
    method,
    path: `${url.pathname}${url.search}`,
    setHost: false,
    headers: { ...headers, Host: url.host, Connection: keepAlive ? 'keep-alive' : 'close' },
    maxHeaderSize: largestHeaders,
  })
  if (typeof body === 'function') body(asked)
  else asked.end(body)
  let interim = 0
  asked.on('information', () => {
    if (++interim > maxInterimAnswers) asked.destroy(malformed('the server gives no end of interim answers'))
  })
  const free = new Promise<boolean>((resolve) => {
    asked.on('close', () => {
      letGo()
      resolve(!socket.destroyed)
    })
  })
  return new Promise((resolve, reject) => {
    asked.on('response', (answer) => {
      // The reader of the response gets the error; before there is a reader, the error is ignored.
      answer.on('error', () => {})
      resolve({ answer, free })
    })
    asked.on('error', reject)
    // An answer that asks to go on in another protocol ends without an error.
    asked.on('close', () => reject(malformed('the server gave no answer')))
  })
}
