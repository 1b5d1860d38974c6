import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ApiContext, type ApiRequest, serveApi } from './api.ts'
import { drawFault, type Faults, maxDelayMs, noFaults } from './faults.ts'
import { type WebhookSender, webhookSender } from './webhooks.ts'
import {
  type NewStoredMessage,
  Refusal,
  type StoredConversation,
  type StoredMessage,
  World,
} from './world.ts'

export interface ChatwootOptions {
  /** Returns numbers from 0 to below 1, from which the faults are drawn. */
  readonly random?: () => number
}

/** A Chatwoot with one account and one API inbox. Its database outlives its server, which can crash and be started again. */
export class SimulatedChatwoot {
  readonly token = 'agent-token'
  readonly secret = 'webhook-secret'
  readonly world = new World()
  /** The faults from now on. */
  faults: Faults = { ...noFaults }
  /** The receiver of webhooks, once there is one. */
  webhookUrl: string | undefined
  /** The requests that were answered, by method and status. */
  readonly answered: string[] = []
  readonly #random: () => number
  readonly #context: ApiContext
  readonly #webhooks: WebhookSender
  #server: Server | undefined
  #port = 0

  constructor({ random = Math.random }: ChatwootOptions = {}) {
    this.#random = random
    this.#context = {
      world: this.world,
      token: this.token,
      baseUrl: () => this.url,
      onMessage: (message, event) => this.#webhooks.send(message, event),
    }
    this.#webhooks = webhookSender(this.#context, {
      secret: this.secret,
      url: () => this.webhookUrl,
      faults: () => this.faults,
      random,
    })
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Listens on this port, or on the one that it had; on any that is free at first. */
  async start(port = this.#port): Promise<void> {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy())
    })
    // For longer than a play lasts: a caller on a busy machine is late to see that an idle connection was closed, and would still use it.
    this.#server.keepAliveTimeout = 3_600_000
    this.#server.listen(port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  /** Ends the server at once: what was under way may be done or not. */
  async crash(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (!server) return
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }

  async stop(): Promise<void> {
    await this.crash()
    await this.#webhooks.settled()
  }

  /** An agent writes. */
  agentWrites(conversation: StoredConversation, given: Partial<NewStoredMessage>): StoredMessage {
    const message = this.world.add(conversation, { content: null, type: 'outgoing', ...given })
    this.#webhooks.send(message, 'message_created')
    return message
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url)
    if (url.pathname.startsWith('/rails/active_storage/')) return this.#serveFile(url, response)
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const given = { method: request.method ?? '', url, headers: request.headers, body: Buffer.concat(chunks) }
    await this.#answer(given, response)
  }

  async #answer(request: ApiRequest, response: ServerResponse): Promise<void> {
    const fault = drawFault(this.faults, this.#random)
    const late = () => new Promise((resolve) => setTimeout(resolve, this.#random() * maxDelayMs))
    if (fault === 'limits')
      return this.#respond(request, response, 429, { error: 'Retry later' }, { 'retry-after': '1' })
    if (fault === 'refuses') return this.#respond(request, response, 401, { error: 'Invalid Access Token' })
    if (fault === 'fails') return this.#respond(request, response, 500, { error: 'Internal Server Error' })
    if (fault === 'breaksBefore') {
      response.destroy()
      await late()
    }
    if (fault === 'slow') await late()
    const { status, body } = await this.#do(request)
    if (fault === 'breaksAfterwards') response.destroy()
    else if (fault === 'failsAfterwards')
      this.#respond(request, response, 500, { error: 'Internal Server Error' })
    else this.#respond(request, response, status, body)
  }

  async #do(request: ApiRequest): Promise<{ status: number; body: unknown }> {
    try {
      return { status: 200, body: await serveApi(this.#context, request) }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { status: error.status, body: { error: error.message } }
    }
  }

  #respond(
    { method }: ApiRequest,
    response: ServerResponse,
    status: number,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): void {
    this.answered.push(`${method} ${status}`)
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }

  /** A file is at one address, which redirects to another. */
  #serveFile(url: URL, response: ServerResponse): void {
    const [, kind, key = '', name] = /\/(blobs\/redirect|disk)\/([^/]+)\/([^/]+)$/.exec(url.pathname) ?? []
    const found = this.world.attachment(key)
    if (!found) response.writeHead(404).end()
    else if (kind === 'disk') response.writeHead(200, { 'content-type': found.contentType }).end(found.bytes)
    else response.writeHead(302, { location: `/rails/active_storage/disk/${key}/${name}` }).end()
  }
}
