import type { Server } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import type { ClientPayload } from '../proto/handshake.ts'
import { FrameReader, frame } from './frames.ts'
import type { Node } from './node.ts'
import { decodeNode, encodeNode, largestNode } from './node-codec.ts'
import type { Cipher } from './noise.ts'
import type { NoiseCertificate } from './noise-certificate.ts'
import { type Agreed, ServerHandshake } from './server-handshake.ts'

/** A client after its handshake. */
export interface ClientStream {
  /** The client's word about itself: a registration, or a login. */
  readonly login: ClientPayload
  /** The client's own Noise key, 32 bytes: a login is proven if it is the key of the registration. */
  readonly staticKey: Uint8Array
  readonly noisePublicOfServer: Uint8Array
  /** Sends a node; after the end of the stream, it is dropped. */
  send(node: Node): void
  /** Sends a frame of bytes that are no node; not even encrypted if it is not sealed. */
  sendRaw(bytes: Uint8Array, isSealed: boolean): void
  /** Set it, and onClose, before `accepted` returns. What it throws is not caught. */
  onNode: (node: Node) => void
  /** Called once, when either side has ended the stream. */
  onClose: () => void
  /** Ends the WebSocket. */
  close(): void
  /** Destroys the connection, without a word. */
  cut(): void
}

export interface StreamOptions {
  readonly path: '/ws/chat'
  readonly certificate: NoiseCertificate
  /** Called for every client that gets through the handshake. */
  readonly accepted: (stream: ClientStream) => void
  /** Told why a stream was closed that broke the rules of the wire. */
  readonly broken?: (reason: Error) => void
  /** Milliseconds that a client may take for its handshake; ten seconds by default. */
  readonly handshakeTime?: number
}

/** Of one message of the WebSocket, which may hold several frames. */
const largestMessage = 16 * 1024 * 1024
/** Of a frame of the handshake, and of one with a node, whose proof is 16 bytes long. */
const largestGreeting = 64 * 1024
const largestFrame = largestNode + 16
/** Bytes that wait for a client that reads too slowly; more, and it is cut. */
const largestBacklog = 64 * 1024 * 1024
const maxStreams = 2_000

/**
 * Serves clients at this path of the server. A stream that breaks the rules of the wire, or does not finish its handshake
 * in time, is closed, and no other. Returns what cuts every stream.
 */
export function serveStreams(server: Server | SecureServer, options: StreamOptions): () => void {
  const { path } = options
  const sockets = new WebSocketServer({ server, path, maxPayload: largestMessage })
  sockets.on('connection', (socket) => {
    if (sockets.clients.size > maxStreams) socket.terminate()
    else new Attendant(socket, options)
  })
  return () => {
    for (const socket of sockets.clients) socket.terminate()
  }
}

/** Reads what one client sends until it ends, or breaks the rules. */
class Attendant {
  readonly #socket: WebSocket
  readonly #options: StreamOptions
  readonly #frames = new FrameReader(largestGreeting)
  readonly #handshake: ServerHandshake
  readonly #deadline: NodeJS.Timeout
  #greeted = false
  #stream: OpenStream | undefined

  constructor(socket: WebSocket, options: StreamOptions) {
    this.#socket = socket
    this.#options = options
    this.#handshake = new ServerHandshake(options.certificate, FrameReader.prologue)
    const late = () => this.#refuse(new Error('the handshake took too long'))
    this.#deadline = setTimeout(late, options.handshakeTime ?? 10_000)
    socket.on('message', (data, isBinary) => this.#take(data, isBinary))
    socket.on('error', (error) => options.broken?.(error))
    socket.on('close', () => {
      clearTimeout(this.#deadline)
      this.#stream?.onClose()
    })
  }

  #take(data: RawData, isBinary: boolean): void {
    if (!isBinary) this.#refuse(new Error('broken frame: it is text'))
    const frames = this.#frames.read(bytesOf(data))
    // The acceptor may end the stream, whose other frames then count for nothing.
    while (this.#socket.readyState === this.#socket.OPEN) {
      const act = this.#next(frames)
      if (!act) return
      act()
    }
  }

  /**
   * Returns the work that the next frame demands; nothing if there is none, or it is broken. Does not run code that may
   * throw by itself.
   */
  #next(frames: Iterator<Uint8Array>): (() => void) | undefined {
    try {
      const { done, value } = frames.next()
      return done ? undefined : this.#understand(value)
    } catch (reason) {
      this.#refuse(reason instanceof Error ? reason : new Error(String(reason)))
      return undefined
    }
  }

  #understand(content: Uint8Array): () => void {
    const stream = this.#stream
    if (stream) {
      const node = stream.read(content)
      return () => stream.onNode(node)
    }
    if (!this.#greeted) {
      this.#greeted = true
      const hello = frame(this.#handshake.answer(content))
      return () => this.#socket.send(hello)
    }
    const agreed = this.#handshake.finish(content)
    const opened = new OpenStream(this.#socket, agreed, this.#options.certificate.keys.public)
    this.#stream = opened
    this.#frames.allow(largestFrame)
    clearTimeout(this.#deadline)
    return () => this.#options.accepted(opened)
  }

  #refuse(reason: Error): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    this.#options.broken?.(reason)
    // 1002: the other side broke the protocol.
    this.#socket.close(1002)
  }
}

class OpenStream implements ClientStream {
  readonly login: ClientPayload
  readonly staticKey: Uint8Array
  readonly noisePublicOfServer: Uint8Array
  onNode: (node: Node) => void = () => {}
  onClose: () => void = () => {}
  readonly #socket: WebSocket
  readonly #incoming: Cipher
  readonly #outgoing: Cipher

  constructor(socket: WebSocket, agreed: Agreed, noisePublicOfServer: Uint8Array) {
    this.#socket = socket
    this.login = agreed.login
    this.staticKey = agreed.staticKey
    this.noisePublicOfServer = noisePublicOfServer
    this.#incoming = agreed.incoming
    this.#outgoing = agreed.outgoing
  }

  /** The node in the next frame. Throws if the frame is broken. */
  read(content: Uint8Array): Node {
    return decodeNode(this.#incoming.decrypt(content))
  }

  send(node: Node): void {
    this.sendRaw(encodeNode(node), true)
  }

  sendRaw(bytes: Uint8Array, isSealed: boolean): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    if (this.#socket.bufferedAmount > largestBacklog) this.cut()
    else this.#socket.send(frame(isSealed ? this.#outgoing.encrypt(bytes) : bytes))
  }

  close(): void {
    this.#socket.close()
  }

  cut(): void {
    this.#socket.terminate()
  }
}

function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data)
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data
}
