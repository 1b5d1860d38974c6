import type { IncomingMessage, RequestListener, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../runtime/clock.ts'
import { freeBuffer } from '../../runtime/free-buffer.ts'
import { RoundRobin } from '../../runtime/limits/round-robin.ts'
import { Server, ServerResponse } from '../../runtime/system/http.ts'
import type { Alarms } from '../../runtime/timers/alarms.ts'
import type { Connections } from './connections.ts'

/**
 * Bytes that are read and discarded from a caller who has had the last response: more than the largest file has, so that a
 * caller whose file is too large for the setting still reads the reason.
 */
const lingerBytes = 128 * 1024 * 1024

/**
 * Bytes of a small piece, and milliseconds of a pause after each larger one. Discarded bytes may come in memory that they do
 * not fill, and that cannot be given back; during the pause, they gather and fill the next piece.
 */
const smallPiece = 4 * 1024
const gathering = 100

export interface Closing {
  /** Milliseconds for which a caller who has had the last response may go on sending before the connection is cut. */
  readonly linger: number
  /** Milliseconds that a connection may stay idle while the server closes. */
  readonly parting: number
}

/**
 * Node's HTTP server, but one that resets no connection on which a caller may still be sending. A reset also destroys what
 * the caller has not read yet, and with it the very response that says why the connection is closed.
 */
export class HttpServer extends Server<typeof IncomingMessage, typeof ClosingResponse> {
  readonly #closing: Closing
  readonly #alarms: Alarms
  readonly #connections: Connections
  /** Those that were asked nothing after their last response. */
  readonly #left = new Set<Socket>()
  #isClosing = false

  constructor(
    options: ServerOptions,
    listener: RequestListener<typeof IncomingMessage, typeof ClosingResponse>,
    {
      closing,
      clock,
      alarms,
      connections,
      onResponded,
    }: {
      readonly closing: Closing
      readonly clock: Clock
      readonly alarms: Alarms
      readonly connections: Connections
      /** Called after each request that came, when its response is written or no caller is left to write it to. */
      readonly onResponded?: (response: ClosingResponse) => void
    },
  ) {
    const turns = new AnonymousTurns(connections, clock)
    const ends: Ends = {
      onLast: (response) => this.#endAfter(response),
      onResponded(response) {
        connections.responded(response)
        onResponded?.(response)
      },
    }
    super({ ...options, ServerResponse: ClosingResponse }, (request, response) => {
      response.ends = ends
      response.on('close', response.responded)
      connections.asked(response)
      turns.take(request, () => listener(request, response))
    })
    this.#closing = closing
    this.#alarms = alarms
    this.#connections = connections
    this.on('connection', (socket: Socket) => connections.open(socket))
  }

  /**
   * Node calls this as it closes. Callers who ask in a loop have sent their next request before they can know, so it waits a
   * moment, in which such a request gets its response; then it looks repeatedly, because connections become idle later, too.
   */
  override closeIdleConnections(): void {
    if (this.#isClosing) return
    this.#isClosing = true
    const closeAgain = () =>
      this.#alarms.in(this.#closing.parting, () => {
        // After everything that has arrived by now was read.
        setImmediate(() => {
          super.closeIdleConnections()
          for (const socket of this.#left) socket.destroy()
          closeAgain()
        })
      })
    closeAgain()
  }

  /** Says that nothing more will come, and reads on until the caller has ended too, within bounds (RFC 9112, section 9.6). */
  endConnection(socket: Socket): void {
    this.#end(socket)
    this.readPast(socket)
  }

  /** Discards all further bytes that come on a connection. */
  readPast(socket: Socket): void {
    const read = pastReader(socket)
    const readOn = (chunk: Buffer) => {
      read(chunk)
      if (chunk.buffer.byteLength <= smallPiece) return
      socket.pause()
      this.#alarms.in(gathering, () => socket.resume())
    }
    // It is nothing that the parser would have to see.
    setImmediate(() => socket.removeAllListeners('data').on('data', readOn).resume())
  }

  #endAfter(response: ClosingResponse): void {
    const { req: request } = response
    const { socket } = request
    if (socket.writableEnded || socket.destroyed) return
    const current = this.#connections.currentResponse(socket)
    if (current && current !== response) {
      current.once('responded', () => this.#endAfter(response))
      return
    }
    socket.once('finish', () => response.responded())
    this.#end(socket)
    const leave = () => {
      this.#left.add(socket)
      socket.once('close', () => this.#left.delete(socket))
      this.readPast(socket)
    }
    // The parser copies a body out of the memory that the socket is read into, so what it gives out can be given back.
    if (request.complete) leave()
    else request.on('data', pastReader(socket)).once('end', leave).resume()
  }

  #end(socket: Socket): void {
    socket.end()
    this.#connections.lingers(socket)
    const cut = this.#alarms.in(this.#closing.linger, () => socket.destroy())
    socket.once('close', () => cut.cancel())
  }
}

/** Gives back the memory of discarded bytes, and cuts off a caller who sends too much. */
function pastReader(socket: Socket): (chunk: Buffer) => void {
  const most = socket.bytesRead + lingerBytes
  return (chunk) => {
    freeBuffer(chunk)
    if (socket.bytesRead > most) socket.destroy()
  }
}

/** Functions for the end of a response, the same for all of them: listeners of each would cost more. */
interface Ends {
  /** Takes over when the last response of a connection is whole. The response itself then never ends. */
  onLast(response: ClosingResponse): void
  /** Called when it is written, or no caller is left to write it to. */
  onResponded(response: ClosingResponse): void
}

/**
 * A response that leaves it to `onLast` to close its connection when it is the last one. By itself, Node closes both sides as soon
 * as such a response has ended, and so resets a caller who still sends. Emits `responded` when it is written, or no caller is left to
 * write it to; `close` comes with the end of the connection when that lasts longer.
 */
export class ClosingResponse extends ServerResponse {
  ends: Ends | undefined
  /** The request as its route knows it; undefined until then. */
  asked: FastifyRequest | undefined
  #isLast = false
  #isWhole = false
  #isAnswered = false

  override writeHead(status: number, reason?: unknown, fields?: unknown): this {
    super.writeHead(status, reason as string, fields as Record<string, string>)
    const given = (fields ?? reason) as Readonly<Record<string, unknown>> | undefined
    const header = (name: string) => given?.[name] ?? this.getHeader(name)
    const isLast = header('connection') === 'close' || (!this.req.complete && endsAfterwards(this.req))
    // Callers could not tell the end of any other response from a connection that broke.
    const hasEnd = header('content-length') !== undefined || status === 204 || status === 304
    this.#isLast = isLast && hasEnd
    return this
  }

  override end(chunk?: unknown, encoding?: unknown, done?: unknown): this {
    if (!this.#isLast || !this.ends) return super.end(chunk, encoding as BufferEncoding, done as () => void)
    if (this.#isWhole) return this
    this.#isWhole = true
    this.flushHeaders()
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) this.write(chunk)
    this.ends.onLast(this)
    return this
  }

  /** Says that it is written, or never will be. */
  responded(): void {
    if (this.#isAnswered) return
    this.#isAnswered = true
    this.ends?.onResponded(this)
    this.emit('responded')
  }
}

/** True if the caller sends nothing more on the connection after this request (RFC 9112, section 9.3). */
function endsAfterwards({ httpVersion, headers }: IncomingMessage): boolean {
  const options = headers.connection ?? ''
  return httpVersion === '1.0' ? !/\bkeep-alive\b/i.test(options) : /\bclose\b/i.test(options)
}

/** Requests of one connection that wait; what it sends beyond them is carried out at once. */
const maxWaiting = 8

/** Milliseconds for which new connections come before requests without a key. */
const maxHold = 10

/**
 * Decides when requests on connections that no valid key came over yet are carried out: in each turn of the event loop one
 * that sends a key and one that sends none, in turns by address. So a crowd of anonymous callers delays only itself.
 * Requests that wait on a connection that is cut are never carried out.
 *
 * As long as connections come, requests without a key wait for them: the loop takes only one connection in each of its
 * turns, and the last one may be of a caller with a key.
 */
export class AnonymousTurns {
  readonly #connections: Connections
  readonly #clock: Pick<Clock, 'monotonic'>
  /** Waiting requests, by address. */
  readonly #withKey = new RoundRobin<() => void>()
  readonly #withoutKey = new RoundRobin<() => void>()
  readonly #waiting = new WeakMap<Socket, number>()
  #isScheduled = false
  #opened = 0
  #heldSince = 0

  constructor(connections: Connections, clock: Pick<Clock, 'monotonic'>) {
    this.#connections = connections
    this.#clock = clock
  }

  /** Carries out a request: at once on a connection that a valid key came over, if nothing waits there. */
  take(request: IncomingMessage, carryOut: () => void): void {
    const { socket, headers } = request
    // A request after the last response of a connection never gets a response, so it must not be carried out either.
    const ifWanted = () => {
      if (!socket.destroyed && !socket.writableEnded) carryOut()
    }
    const waiting = this.#waiting.get(socket) ?? 0
    if (waiting >= maxWaiting || (waiting === 0 && this.#connections.isKnown(socket))) {
      ifWanted()
      return
    }
    this.#waiting.set(socket, waiting + 1)
    const sendsKey = headers.authorization !== undefined
    if (!sendsKey) this.#connections.markUnauthenticated(socket)
    const queue = sendsKey ? this.#withKey : this.#withoutKey
    queue.push(this.#connections.addressBlockOf(request), () => {
      this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1)
      ifWanted()
    })
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#turn()
      if (!this.#withKey.isEmpty || !this.#withoutKey.isEmpty) this.#schedule()
    })
  }

  #turn(): void {
    this.#withKey.take()?.()
    const { opened } = this.#connections
    const now = this.#clock.monotonic()
    if (opened === this.#opened || now - this.#heldSince > maxHold) {
      this.#withoutKey.take()?.()
      this.#heldSince = now
    }
    this.#opened = opened
  }
}
