import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Callback } from '../../../../src/networks/driver/abilities/callbacks.ts'
import type { SealedCredentials } from '../../../../src/networks/driver/account.ts'
import type { DriverConnection } from '../../../../src/networks/driver/connection.ts'
import { callbacks } from '../../../../src/networks/telegram/callbacks.ts'

/** The URL at which Telegram calls one bot back: a server's part in it, without a store. */
class Place {
  readonly credentials: SealedCredentials
  readonly waiting: Callback[] = []
  connection: DriverConnection | null = null
  #working = false

  constructor(credentials: SealedCredentials) {
    this.credentials = credentials
  }

  /** Hands over what waits, in order; what the connection rejects waits for the next one. */
  async handOver(): Promise<void> {
    if (this.#working) return
    this.#working = true
    for (let [next] = this.waiting; next && this.connection; [next] = this.waiting) {
      const { connection } = this
      try {
        await connection.receive?.(next)
        this.waiting.shift()
      } catch {
        if (this.connection === connection) this.connection = null
      }
    }
    this.#working = false
  }
}

/** Takes what a simulated Telegram posts, verifies it, and hands it to the connections of the bots. */
export class TelegramCallbacks {
  readonly #server: Server
  readonly #places = new Map<string, Place>()
  /** Status of the responses, if it is not 200. */
  status = 200
  #count = 0

  static async start(): Promise<TelegramCallbacks> {
    const started = new TelegramCallbacks()
    started.#server.listen(0, '127.0.0.1')
    await once(started.#server, 'listening')
    return started
  }

  constructor() {
    this.#server = createServer((request, response) => void this.#hear(request, response))
  }

  /** The URL for a bot, the same each time. */
  urlFor(token: string): string {
    // As the tokens of callbacks, it shows nothing of the bot's.
    const path = `/cb_${Buffer.from(token.split(':')[0] ?? '').toString('hex')}`
    if (!this.#places.has(path)) this.#places.set(path, new Place({ token }))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`
  }

  /** Hands updates for the bot to this connection, which is open. */
  open(token: string, connection: DriverConnection): void {
    const place = this.#places.get(new URL(this.urlFor(token)).pathname)
    if (!place) return
    place.connection = connection
    void place.handOver()
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece)
    const body = Buffer.concat(pieces)
    const place = this.#places.get(request.url ?? '')
    if (this.status !== 200 || !place)
      return void response.writeHead(this.status === 200 ? 404 : this.status).end()
    const headers = Object.fromEntries(
      callbacks.headers.flatMap((name) => {
        const value = request.headers[name]
        return typeof value === 'string' ? [[name, value]] : []
      }),
    )
    const method = request.method === 'GET' ? 'GET' : 'POST'
    const verdict = callbacks.verify({ method, query: {}, headers, rawBody: body }, {}, place.credentials)
    if (verdict.kind !== 'keep') return void response.writeHead(verdict.status).end()
    this.#count += 1
    place.waiting.push({ id: `cb_${this.#count}`, received_at: Date.now(), body })
    response.writeHead(200).end()
    await place.handOver()
  }
}
