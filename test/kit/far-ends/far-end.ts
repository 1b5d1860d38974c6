import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Certified } from './certificates.ts'

export interface Asked {
  /** The request up to the empty line, as it came. */
  readonly head: string
  /** The body, if the request gave its length. */
  readonly body: Buffer
  readonly socket: Socket
}

export interface FarEndOptions {
  /** A loopback address. */
  readonly host?: string
  readonly port?: number
  /** With a certificate it speaks TLS. */
  readonly certified?: Certified
  /** Bytes that every client gets at once, before it asks for anything. */
  readonly greeting?: string
}

/** Reaction of a far end to a request. */
export type Behaviour = (asked: Asked) => unknown

/**
 * A server that answers with the bytes that a test writes, because libraries would not misbehave as some servers do. It
 * knows nothing about HTTP except where a request's headers and body end.
 */
export class FarEnd {
  readonly asked: Asked[] = []
  connections = 0
  readonly #server
  readonly #sockets = new Set<Socket>()

  private constructor(behaviour: Behaviour, { certified, greeting }: FarEndOptions) {
    const onSocket = (socket: Socket) => {
      if (greeting !== undefined) socket.write(greeting)
      void this.#serve(socket, behaviour)
    }
    this.#server =
      certified === undefined ? createServer(onSocket) : createTlsServer({ ...certified }, onSocket)
    this.#server.on('connection', (socket: Socket) => {
      this.connections++
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
  }

  static async start(behaviour: Behaviour, options: FarEndOptions = {}): Promise<FarEnd> {
    const farEnd = new FarEnd(behaviour, options)
    farEnd.#server.listen(options.port ?? 0, options.host ?? '127.0.0.1')
    await once(farEnd.#server, 'listening')
    return farEnd
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Settles at the next connection, with its end here. */
  async nextConnection(): Promise<Socket> {
    const [socket] = await once(this.#server, 'connection')
    return socket
  }

  /** Settles at the next request. */
  async nextRequest(): Promise<Asked> {
    const [asked] = await once(this.#server, 'asked')
    return asked
  }

  /** Settles when no connection is open. */
  async left(): Promise<void> {
    for (const socket of this.#sockets) await closed(socket)
  }

  async stop(): Promise<void> {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await once(this.#server, 'close')
  }

  async #serve(socket: Socket, behaviour: Behaviour): Promise<void> {
    socket.on('error', () => {})
    const incoming = new Incoming(socket)
    for (;;) {
      const head = await incoming.until('\r\n\r\n')
      const length = Number(/^content-length: *(\d+)/im.exec(head ?? '')?.[1] ?? 0)
      const body = await incoming.bytes(length)
      if (head === undefined || body === undefined) return
      const asked = { head, body, socket }
      this.asked.push(asked)
      this.#server.emit('asked', asked)
      await behaviour(asked)
    }
  }
}

/** Bytes that come on a connection, taken in parts. */
class Incoming {
  #came = Buffer.alloc(0)
  readonly #socket: Socket
  readonly #gone: Promise<void>

  constructor(socket: Socket) {
    this.#socket = socket
    this.#gone = closed(socket)
    socket.on('data', (chunk: Buffer) => {
      this.#came = Buffer.concat([this.#came, chunk])
      socket.emit('came')
    })
  }

  /** Everything up to and including a mark; undefined if the connection ends first. */
  async until(mark: string): Promise<string | undefined> {
    while (!this.#came.includes(mark)) if (!(await this.#more())) return undefined
    return this.#take(this.#came.indexOf(mark) + mark.length).toString('latin1')
  }

  async bytes(count: number): Promise<Buffer | undefined> {
    while (this.#came.length < count) if (!(await this.#more())) return undefined
    return this.#take(count)
  }

  #take(count: number): Buffer {
    const taken = this.#came.subarray(0, count)
    this.#came = this.#came.subarray(count)
    return taken
  }

  async #more(): Promise<boolean> {
    const came = new Promise((resolve) => this.#socket.once('came', () => resolve(true)))
    return (await Promise.race([came, this.#gone])) === true
  }
}

/** Settles when a connection is over, in whichever way. */
export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => (socket.destroyed ? resolve() : socket.once('close', () => resolve())))
}

/** Writes the same bytes again and again for as long as the other side reads, and returns how many it wrote. */
export async function flood(socket: Socket, bytes: Uint8Array | string): Promise<number> {
  const piece = Buffer.from(bytes)
  let written = 0
  for (; !socket.destroyed; written += piece.length) {
    if (!socket.write(piece))
      await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {})
  }
  return written
}
