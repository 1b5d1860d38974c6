import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { requestHttp } from '../../runtime/system/http.ts'
import {
  type Connect,
  guardedConnect,
  type OutgoingConnectionOptions,
  type Trusting,
} from '../dial/connection.ts'
import { endWith } from '../dial/sockets.ts'
import { malformed, NetFailure } from '../failure.ts'
import type { Time, Timeouts } from '../timeouts.ts'
import { KeptConnections, type PooledConnection } from './pool.ts'
import type { EncodedBody } from './request-body.ts'
import { BodyUpload } from './upload.ts'

/** A request to a host that another party named. */
export interface Exchange {
  readonly to: Trusting
  /** The organization that it is for. */
  readonly party: string
  /** An address of the host that is known to be allowed: then its name is not resolved. */
  readonly address?: string | undefined
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly headers: OutgoingHttpHeaders
  readonly body?: EncodedBody | undefined
  /** The name under which its connection is kept for others; without one, it is used once. */
  readonly keptAs?: string | undefined
  /** True if it is repeated, once, when a kept connection turns out to be closed; then its body has no file. */
  readonly isRepeatable?: boolean | undefined
}

/** The progress of an exchange: `asking` once bytes of the request may have reached the server. */
export interface Progress {
  stage: 'preparing' | 'connecting' | 'asking'
  status?: number
}

export interface Exchanged {
  readonly response: IncomingMessage
  /** Settles when both sides have finished, or the connection is gone: true if it can be used for another request. */
  readonly free: Promise<boolean>
  /** Waits until the connection is free, and keeps it, if it may be kept. Call it once the body was read. */
  keep(): Promise<void>
}

/** Limits of the connections that are kept. */
export interface KeepLimits {
  /** Idle connections under one name. */
  readonly perName: number
  /** Milliseconds for which one is idle at most; servers can announce fewer. */
  readonly idle: number
  /** Milliseconds for which one is used, from the look-up of its name: the name may lead elsewhere by then. */
  readonly lifetime: number
}

/** Bytes that the headers of a response may have. */
const maxHeaderBytes = 16_384

/** Interim responses (RFC 9110 section 15.2) that may come before the final one. A server may send them as fast as it can. */
const maxInterimResponses = 16

/** Milliseconds before the announced end of an idle connection at which it is no longer used. */
const safetyMargin = 1_000

const keepsNothing: KeepLimits = { perName: 0, idle: 0, lifetime: 0 }

/** The one way to ask a host over HTTP: resolves its name, has the guard decide, connects, writes the request, and reads the headers. */
export class HttpExchanges {
  readonly #time: Time
  readonly #connect: Connect
  readonly #kept: KeptConnections
  readonly #limits: KeepLimits

  constructor(options: OutgoingConnectionOptions, keep: KeepLimits = keepsNothing) {
    this.#time = options
    this.#connect = guardedConnect(options)
    this.#kept = new KeptConnections(options, keep.perName)
    this.#limits = keep
  }

  /**
   * Resolves once the headers of the response are there. They are waited for from when the body of the request is written.
   * Throws a NetFailure, the error of a socket, TLS or the HTTP parser, or the reason of the signal: `timeouts.failureFrom`
   * makes the first of all of them. The connection lasts until `timeouts` end, unless it is kept.
   */
  async exchange(
    exchange: Exchange,
    timeouts: Timeouts,
    progress: Progress = { stage: 'preparing' },
  ): Promise<Exchanged> {
    const { body, keptAs, isRepeatable } = exchange
    timeouts.signal.throwIfAborted()
    const upload = body && new BodyUpload(body, timeouts)
    await upload?.open()
    progress.stage = 'connecting'
    const kept = keptAs === undefined ? undefined : await this.#take(keptAs)
    const connection = kept ?? (await this.#open(exchange, timeouts))
    try {
      return await this.#ask(connection, exchange, upload, timeouts, progress)
    } catch (caught) {
      const failure = timeouts.failureFrom(caught)
      const isStale = kept !== undefined && failure instanceof NetFailure && failure.reason === 'lost'
      if (!isStale || !isRepeatable) throw caught
    }
    // Servers close idle connections, possibly at the very moment a request is sent.
    const again = body && new BodyUpload(body, timeouts)
    return this.#ask(await this.#open(exchange, timeouts), exchange, again, timeouts, progress)
  }

  /** Closes the kept connections, and keeps no more. Exchanges under way continue; their signals end them. */
  close(): void {
    this.#kept.close()
  }

  /** Resolves with a kept connection that is open as far as this process can know. */
  async #take(name: string): Promise<PooledConnection | undefined> {
    // If the server has closed a connection, Node learns of it in a whole turn, and it is kept no longer. The first may be half over.
    await turn()
    await turn()
    return this.#kept.take(name)
  }

  async #open({ to, party, address }: Exchange, timeouts: Timeouts): Promise<PooledConnection> {
    const until = this.#time.clock.monotonic() + this.#limits.lifetime
    return { socket: await this.#connect(to, party, timeouts, address), until }
  }

  async #ask(
    connection: PooledConnection,
    exchange: Exchange,
    upload: BodyUpload | undefined,
    timeouts: Timeouts,
    progress: Progress,
  ): Promise<Exchanged> {
    const { socket } = connection
    if (timeouts.signal.aborted) socket.destroy()
    timeouts.signal.throwIfAborted()
    const sent = Promise.withResolvers<void>()
    const asked = ask(socket, exchange, upload, timeouts.signal, sent.resolve)
    progress.stage = 'asking'
    await Promise.race([sent.promise, asked])
    const { response, free } = await timeouts.during('headers', asked)
    progress.status = response.statusCode ?? 0
    const { keptAs } = exchange
    const keep = async () => {
      // If the response came before the request was written to its end, the rest is not worth the wait.
      if (keptAs !== undefined && upload?.isSent !== false && (await free))
        this.#kept.keep(keptAs, connection, idleTime(response, this.#limits.idle))
    }
    return { response, free, keep }
  }
}

/** Asks on an open connection, which `signal` ends until it is free. Throws what the socket or the HTTP parser throws. */
function ask(
  socket: Socket,
  { to: { url }, method, headers, body, keptAs }: Exchange,
  upload: BodyUpload | undefined,
  signal: AbortSignal,
  onSent: () => void,
): Promise<Omit<Exchanged, 'keep'>> {
  const release = endWith(signal, socket)
  const asked = requestHttp({
    createConnection: () => socket,
    method,
    path: `${url.pathname}${url.search}`,
    setHost: false,
    headers: {
      ...headers,
      ...(body && { 'Content-Type': body.type, 'Content-Length': String(body.length) }),
      Host: url.host,
      Connection: keptAs === undefined ? 'close' : 'keep-alive',
    },
    maxHeaderSize: maxHeaderBytes,
  })
  if (upload) upload.writeTo(asked, onSent)
  else {
    asked.end()
    onSent()
  }
  let interim = 0
  asked.on('information', () => {
    if (++interim > maxInterimResponses)
      asked.destroy(malformed('the server sends interim responses without end'))
  })
  const free = new Promise<boolean>((resolve) => {
    asked.on('close', () => {
      release()
      resolve(!socket.destroyed)
    })
  })
  return new Promise((resolve, reject) => {
    asked.on('response', (response) => {
      // The reader of the response gets the error; before there is a reader, the error is ignored.
      response.on('error', () => {})
      resolve({ response, free })
    })
    asked.on('error', reject)
    // A response that asks to go on in another protocol ends without an error.
    asked.on('close', () => reject(malformed('the server sent no response')))
  })
}

/** Returns the milliseconds for which the connection of this response may be idle: servers can announce when they close it. */
function idleTime({ headers }: IncomingMessage, maxIdle: number): number {
  const seconds = /(?:^|[,\s])timeout=(\d{1,9})/i.exec(String(headers['keep-alive']))?.[1]
  return seconds === undefined ? maxIdle : Math.min(maxIdle, Number(seconds) * 1_000 - safetyMargin)
}
