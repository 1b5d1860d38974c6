import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import type { Event } from '../../../src/contract/resources/event.ts'
import { checkDelivered } from '../http/checked-client.ts'
import type { Certified } from './certificates.ts'

/** One request as it arrived. */
export interface Received {
  readonly headers: IncomingHttpHeaders
  /** The body as it came. */
  readonly body: string
  /** The event, or the first of a batch. */
  readonly event: Event
  /** All that came with it. */
  readonly events: readonly Event[]
  /** When it had come, in milliseconds since the epoch. */
  readonly at: number
}

/** Reaction of a receiver to a request; by default it answers 204. */
export type Reception = (received: Received, response: ServerResponse) => unknown

const timeout = 30_000

/**
 * Receives webhooks: keeps everything that comes, and answers as the test says. Everything that comes must be an event that
 * the contract documents; `until` and `stop` throw if it was not.
 */
export class WebhookReceiver {
  readonly received: Received[] = []
  /** May be changed at any time. */
  answer: Reception
  readonly #server
  readonly #scheme: string
  readonly #waiting = new Set<() => void>()
  #fault: unknown

  private constructor(answer: Reception, certified?: Certified) {
    this.answer = answer
    const listen = (request: IncomingMessage, response: ServerResponse) => void this.#hear(request, response)
    this.#server = certified === undefined ? createServer(listen) : createTlsServer({ ...certified }, listen)
    this.#server.keepAliveTimeout = 60_000
    this.#scheme = certified === undefined ? 'http' : 'https'
  }

  static async start(
    answer: Reception = (_, response) => response.writeHead(204).end(),
    certified?: Certified,
  ): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(answer, certified)
    receiver.#server.listen(0, '127.0.0.1')
    await once(receiver.#server, 'listening')
    return receiver
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.port}/hook`
  }

  /** The numbers of the events that came, in the order in which they did. */
  get sequences(): number[] {
    return this.received.map(({ event }) => event.sequence)
  }

  /** Waits until what came is enough, for as long as something comes. */
  async until(what: string, enough: (received: readonly Received[]) => boolean): Promise<void> {
    for (;;) {
      if (this.#fault) throw this.#fault
      if (enough(this.received)) return
      const before = this.received.length
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeout)
        this.#waiting.add(() => {
          clearTimeout(timer)
          resolve()
        })
      })
      if (this.received.length === before && !enough(this.received))
        throw new Error(`never came: ${what}; there came ${before}`)
    }
  }

  async stop(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
    if (this.#fault) throw this.#fault
  }

  async #hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const content = JSON.parse(body) as Event | { readonly events: readonly [Event, ...Event[]] }
    const events = 'events' in content ? content.events : ([content] as const)
    const received = { headers: request.headers, body, event: events[0], events, at: Date.now() }
    try {
      for (const event of events) checkDelivered(event)
    } catch (fault) {
      this.#fault ??= fault
    }
    this.received.push(received)
    for (const wake of [...this.#waiting]) wake()
    this.#waiting.clear()
    await this.answer(received, response)
  }
}

/** True if the published library for Standard Webhooks verifies it at the time at which it came. */
export function isVerified({ headers, body }: Received, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}
