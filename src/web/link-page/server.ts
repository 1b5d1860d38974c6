import type { StartLink } from '../../contract/resources/instance.ts'
import type { LinkPageView } from '../../contract/resources/link-page.ts'
import { refusalOf } from '../browser/refused.ts'

/** The server's interface for one link page, open to every client that has its token. */
export class LinkPageServer {
  readonly #token: string
  /** Milliseconds by which the clock of the server is ahead of that of this device. */
  #ahead = 0

  constructor(token: string) {
    this.#token = token
  }

  /** The present moment by the clock of the server, to a second. */
  now(): number {
    return Date.now() + this.#ahead
  }

  view(): Promise<LinkPageView> {
    return this.#call('GET', '')
  }

  start(body: StartLink): Promise<LinkPageView> {
    return this.#call('POST', '/link', body)
  }

  answer(answer: string): Promise<LinkPageView> {
    return this.#call('POST', '/link/answer', { answer })
  }

  /** Ends the page, and what is under way through it. */
  async decline(): Promise<void> {
    await this.#ask('DELETE', '', { accept: 'application/json' })
  }

  /** The QR code of the present step. */
  async picture(): Promise<Blob> {
    return (await this.#ask('GET', '', { accept: 'image/svg+xml' })).blob()
  }

  /** The picture of the business. */
  async logo(): Promise<Blob> {
    return (await this.#ask('GET', '/picture', { accept: 'image/png, image/jpeg' })).blob()
  }

  async #call(method: string, path: string, body?: object): Promise<LinkPageView> {
    const json = body && { 'content-type': 'application/json' }
    const response = await this.#ask(method, path, { accept: 'application/json', ...json }, body)
    return (await response.json()) as LinkPageView
  }

  async #ask(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: object,
  ): Promise<Response> {
    // Relative, because a proxy may serve everything under a path prefix.
    const response = await fetch(new URL(`v1/link-page${path}`, location.href), {
      method,
      headers: { ...headers, authorization: `Bearer ${this.#token}` },
      // A session of the console in this browser has nothing to do with the page.
      credentials: 'omit',
      cache: 'no-store',
      ...(body && { body: JSON.stringify(body) }),
    })
    const date = Date.parse(response.headers.get('date') ?? '')
    if (!Number.isNaN(date)) this.#ahead = date - Date.now()
    if (response.ok) return response
    throw await refusalOf(response)
  }
}
