import { once } from 'node:events'
import { request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Authority } from './certificates.ts'

interface TlsProxyOptions {
  /** The most bytes that it lets through as a body. */
  readonly maxBytes?: number
}

/** A proxy in front of a server, as operators have one: it speaks TLS to browsers as `https://localhost:…`. */
export class TlsProxy {
  /** Responses of the server, such as `POST /v1/instances 201`. */
  readonly answered: string[] = []
  readonly #server
  readonly #maxBytes: number
  #behind: URL | undefined

  private constructor({ maxBytes = Number.POSITIVE_INFINITY }: TlsProxyOptions) {
    const certified = new Authority('a proxy').certify({ hosts: ['localhost'] })
    this.#maxBytes = maxBytes
    this.#server = createServer(certified, (request, response) => this.#pass(request, response))
  }

  static async start(options: TlsProxyOptions = {}): Promise<TlsProxy> {
    const proxy = new TlsProxy(options)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}`
  }

  /** From now on it asks this server; without one it answers with 502. */
  lead(to: string | undefined): void {
    this.#behind = to === undefined ? undefined : new URL(to)
  }

  /** Ends every connection at once, as a restart does. */
  cut(): void {
    this.#server.closeAllConnections()
  }

  async stop(): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #pass(request: IncomingMessage, response: ServerResponse): void {
    const refuse = (status: number) => {
      request.resume()
      response.writeHead(status, { 'content-type': 'text/html' }).end(`<h1>${status}</h1>`)
    }
    const { method, url: path, headers } = request
    const isTooLarge = Number(headers['content-length'] ?? 0) > this.#maxBytes
    if (isTooLarge || this.#behind === undefined) {
      refuse(isTooLarge ? 413 : 502)
      return
    }
    const { hostname, port } = this.#behind
    const address = request.socket.remoteAddress
    const passed = { ...headers, 'x-forwarded-for': address, 'x-forwarded-proto': 'https' }
    const asked = forward({ hostname, port, method, path, headers: passed }, (answered) => {
      this.answered.push(`${method} ${path} ${answered.statusCode}`)
      response.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(response)
      answered.on('error', () => response.destroy())
    })
    asked.on('error', () => (response.headersSent ? response.destroy() : refuse(502)))
    response.on('close', () => asked.destroy())
    request.pipe(asked)
  }
}
