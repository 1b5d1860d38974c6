import type { ProblemBody } from '../../contract/problem.ts'
import type { StartLink } from '../../contract/resources/instance.ts'
import type { LinkPageView } from '../../contract/resources/link-page.ts'

/** The server refused a call, or something in between did. */
export class RefusedError extends Error {
  readonly status: number
  /** Undefined if the response is none of the server's. */
  readonly code: string | undefined

  constructor(status: number, code: string | undefined) {
    super(code ?? `HTTP ${status}`)
    this.status = status
    this.code = code
  }

  /** The page opens nothing any more, or never did. */
  get isEnd(): boolean {
    return this.code === 'link_page_not_found' || this.code === 'unauthenticated'
  }
}

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
    const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json')
    const problem = isProblem ? ((await response.json()) as ProblemBody) : undefined
    throw new RefusedError(response.status, problem?.code)
  }
}
