import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Milliseconds after which a node that does not answer is left for the next. */
const answerTimeout = 4_000

/** Headers that belong to one connection. */
const ofConnection: readonly string[] = ['host', 'connection', 'content-length', 'transfer-encoding']

interface Relayed {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** A load balancer for what networks post: each request goes to the next node, or, if that does not answer well, to the one after it. */
export class CallbackRelay {
  readonly url: string
  readonly #server: Server
  #doors: readonly string[] = []
  #next = 0

  private constructor(server: Server) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', async (request, response) => {
      const answer = await this.#pass(await relayed(request))
      response.writeHead(answer?.status ?? 502).end(answer?.body)
    })
  }

  static async start(): Promise<CallbackRelay> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new CallbackRelay(server)
  }

  /** The nodes are reached at these URLs. */
  leadTo(doors: readonly string[]): void {
    this.#doors = doors
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #pass({
    path,
    method,
    headers,
    body,
  }: Relayed): Promise<{ status: number; body: string } | undefined> {
    for (const _ of this.#doors) {
      const door = this.#doors[this.#next++ % this.#doors.length]
      const signal = AbortSignal.timeout(answerTimeout)
      const given = { method, headers, signal, ...(method === 'POST' && { body: new Uint8Array(body) }) }
      try {
        const answer = await fetch(`${door}${path}`, given)
        const text = await answer.text()
        if (answer.status < 500) return { status: answer.status, body: text }
      } catch {
        // The next one may answer.
      }
    }
    return undefined
  }
}

async function relayed(request: IncomingMessage): Promise<Relayed> {
  const pieces: Buffer[] = []
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece)
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    typeof value === 'string' && !ofConnection.includes(name) ? [[name, value] as const] : [],
  )
  return {
    ...{ method: request.method ?? 'GET', path: request.url ?? '/' },
    ...{ headers: Object.fromEntries(headers), body: Buffer.concat(pieces) },
  }
}
