import { randomBytes } from 'node:crypto'
import type { Account } from './accounts/account.ts'
import type { Device, Line } from './accounts/device.ts'
import { phoneServer } from './accounts/jid.ts'
import { type Node, node } from './wire/node.ts'
import type { ClientStream } from './wire/stream.ts'

let lastId = 0

/** An id for something that the server sends of itself. */
export function newId(): string {
  lastId += 1
  return `${Math.floor(Date.now() / 1000)}.${lastId}`
}

/** Seconds since 1970, as stanzas have them. */
export const stamp = (): string => Math.floor(Date.now() / 1000).toString()

/** A stream of a client, from the handshake to its end. */
export class Connection implements Line {
  readonly stream: ClientStream
  account: Account | undefined
  device: Device | undefined
  isActive = false
  isAvailable = false
  /** It says nothing any more, although it takes everything. */
  isStalled = false
  /** Milliseconds by which everything that it says is late. */
  slowness = 0
  /** It loses the messages of its client. */
  losesMessages = false
  /** Number of frames that it has lost. */
  lost = 0
  isClosed = false
  readonly #unacked = new Map<string, NodeJS.Timeout>()

  constructor(stream: ClientStream) {
    this.stream = stream
  }

  send(what: Node): void {
    if (this.isStalled || this.isClosed) return
    if (this.slowness > 0) setTimeout(() => this.stream.send(what), this.slowness)
    else this.stream.send(what)
  }

  /** Sends the bytes of a node as they stand in a frame. */
  sendBytes(bytes: Uint8Array): void {
    if (!this.isStalled && !this.isClosed) this.stream.sendRaw(bytes, true)
  }

  /** Sends a frame that holds no node, and that no client can decrypt if it is not sealed. */
  sendGarbage(isSealed: boolean): void {
    // No flags, a list of one, and a token that no table has.
    const bytes = Uint8Array.of(0, 0xf8, 1, 0xf5, ...randomBytes(36))
    if (!this.isStalled && !this.isClosed) this.stream.sendRaw(bytes, isSealed)
  }

  close(): void {
    this.isClosed = true
    this.stream.close()
  }

  cut(): void {
    this.isClosed = true
    this.stream.cut()
  }

  endWith(reason: Node): void {
    this.send(reason)
    if (this.slowness > 0) setTimeout(() => this.close(), this.slowness)
    else this.close()
  }

  /** Ends the stream when a message is not acked within so many milliseconds. */
  awaitAck(id: string, within: number): void {
    clearTimeout(this.#unacked.get(id))
    const end = () => {
      this.#unacked.delete(id)
      this.endWith(node('stream:error', {}, [node('ack', { class: 'message', id })]))
    }
    this.#unacked.set(id, setTimeout(end, within))
  }

  acked(id: string): void {
    clearTimeout(this.#unacked.get(id))
    this.#unacked.delete(id)
  }

  /** The stream has ended. */
  ended(): void {
    this.isClosed = true
    for (const timer of this.#unacked.values()) clearTimeout(timer)
    this.#unacked.clear()
  }

  /** Refuses a login. */
  fail(reason: number, attributes: Readonly<Record<string, string>> = {}): void {
    this.endWith(node('failure', { reason: String(reason), location: 'lla', ...attributes }))
  }

  /** Sends a question or an order of the server. */
  ask(content: readonly Node[], attributes: Readonly<Record<string, string>> = {}): void {
    const id = newId()
    this.send(node('iq', { from: phoneServer, type: 'set', id, ...attributes }, content))
  }
}

/** Makes the node that ends a stream: a code alone, or a reason by name. */
export function streamError(name: string): Node {
  if (/^\d+$/.test(name)) return node('stream:error', { code: name })
  switch (name) {
    case 'replaced':
      return node('stream:error', {}, [node('conflict', { type: 'replaced' })])
    case 'device_removed':
      return node('stream:error', { code: '401' }, [node('conflict', { type: 'device_removed' })])
    default:
      return node('stream:error', {}, [node(name)])
  }
}
