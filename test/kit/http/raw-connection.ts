import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { checkReply } from './checked-client.ts'

/** A reply as it came over a raw connection; header names are in lower case. */
export interface WireReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** A connection on which a test writes its requests byte by byte. */
export class RawConnection {
  readonly socket: Socket
  #received = Buffer.alloc(0)
  #ended = false
  #wake: (() => void) | undefined

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk])
      this.#wake?.()
    })
    // A reset is an end like any other; what matters to the plays is what was answered before.
    socket.on('error', () => {})
    for (const event of ['end', 'close'] as const) {
      socket.on(event, () => {
        this.#ended = true
        this.#wake?.()
      })
    }
  }

  /** `from` is the address of this machine that it comes from. */
  static async open(url: string, from?: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url)
    const source = from === undefined ? {} : { localAddress: from }
    const socket = connect({ host: hostname, port: Number(port), ...source })
    await once(socket, 'connect')
    return new RawConnection(socket)
  }

  write(bytes: string | Uint8Array): this {
    this.socket.write(bytes)
    return this
  }

  /** The next reply, checked against the contract as the answer to a request of this method and path. */
  async reply(method: string, path: string): Promise<WireReply> {
    const head = await this.#until(() => {
      const end = this.#received.indexOf('\r\n\r\n')
      return end < 0 ? undefined : end + 4
    })
    const lines = this.#take(head).toString('latin1').trimEnd().split('\r\n')
    const status = Number(lines[0]?.split(' ')[1])
    if (status === 100) return this.reply(method, path)
    const headers = Object.fromEntries(
      lines.slice(1).map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
    const length = method === 'HEAD' ? 0 : Number(headers['content-length'] ?? 0)
    await this.#until(() => (this.#received.length >= length ? length : undefined))
    const reply = { status, headers, text: this.#take(length).toString() }
    if (method !== 'HEAD') checkReply(method, path, reply)
    return reply
  }

  /** Resolves when the other side has ended the connection, with what came before and was not taken as a reply. */
  async ended(): Promise<string> {
    while (!this.#ended) await this.#more()
    return this.#received.toString('latin1')
  }

  close(): void {
    this.socket.destroy()
  }

  async #until(found: () => number | undefined): Promise<number> {
    for (;;) {
      const at = found()
      if (at !== undefined) return at
      if (this.#ended)
        throw new Error(`the connection ended after ${JSON.stringify(this.#received.toString())}`)
      await this.#more()
    }
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #take(length: number): Buffer {
    const taken = this.#received.subarray(0, length)
    this.#received = this.#received.subarray(length)
    return taken
  }
}
