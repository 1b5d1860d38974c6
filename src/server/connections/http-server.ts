import { type RequestListener, Server, type ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { Alarms } from '../../runtime/alarms.ts'
import type { Clock } from '../../runtime/clock.ts'
import { giveBackReading } from '../../runtime/spent-bytes.ts'
import type { Connections } from './connections.ts'
import { StrangerTurns } from './stranger-turns.ts'

/**
 * Bytes that are read, and thrown away, of a caller who was answered for the last time: more than the largest file has, so
 * that who sends such a one where only smaller ones are taken reads why.
 */
const lingerBytes = 128 * 1024 * 1024

export interface Closing {
  /** How long such a caller may go on sending before the connection is cut, in milliseconds. */
  readonly linger: number
  /** How long a connection may stay idle while the server closes, in milliseconds. */
  readonly parting: number
}

export interface HttpServerContext {
  readonly closing: Closing
  readonly clock: Clock
  readonly alarms: Alarms
  readonly connections: Connections
}

/**
 * Node's HTTP server, but one that resets no connection on which a caller may still be sending. A reset also destroys what
 * the caller has not read yet, and with it the very answer that says why the connection is closed.
 */
export class HttpServer extends Server {
  readonly #closing: Closing
  readonly #alarms: Alarms
  readonly #connections: Connections
  #isClosing = false

  constructor(
    options: ServerOptions,
    listener: RequestListener,
    { closing, clock, alarms, connections }: HttpServerContext,
  ) {
    const turns = new StrangerTurns(connections, clock)
    super(options, (request, response) => {
      connections.asked(response)
      turns.take(request, () => listener(request, response))
    })
    this.#closing = closing
    this.#alarms = alarms
    this.#connections = connections
    this.on('connection', (socket: Socket) => {
      connections.open(socket)
      // Node calls it after the last answer; Node's own version would cut off data that is still coming.
      socket.destroySoon = () => this.#linger(socket)
    })
  }

  /**
   * Node calls this as it closes. Callers who ask in a loop have sent their next request before they can know, so it waits a
   * moment, in which such a request is answered; then it looks again and again, as connections become idle later too.
   */
  override closeIdleConnections(): void {
    if (this.#isClosing) return
    this.#isClosing = true
    const closeAgain = () =>
      this.#alarms.in(this.#closing.parting, () => {
        // After everything that has arrived by now was read.
        setImmediate(() => {
          super.closeIdleConnections()
          closeAgain()
        })
      })
    closeAgain()
  }

  /** Says that nothing more will come, and reads on until the caller has ended too, within bounds (RFC 9112, section 9.6). */
  #linger(socket: Socket): void {
    socket.end()
    this.#connections.lingers(socket)
    const cut = this.#alarms.in(this.#closing.linger, () => socket.destroy())
    socket.once('close', () => cut.cancel())
    // Only once Node reads past the body again, for which it needs the parser: it had paused the socket where nobody read it.
    setImmediate(() => {
      let left = lingerBytes
      socket.removeAllListeners('data')
      socket.on('data', (chunk: Buffer) => {
        left -= chunk.length
        giveBackReading(chunk)
        if (left < 0) socket.destroy()
      })
    })
  }
}
