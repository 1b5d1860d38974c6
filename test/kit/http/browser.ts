import { checkReply, exchange, type RawReply } from './checked-client.ts'

const codeOf = (json: unknown) => (json as { code?: string } | undefined)?.code

type Headers = Readonly<Record<string, string>>

/** A browser that shows a page of the server: it keeps its cookies, and says of each request that the page made it. */
export class Browser {
  readonly #url: string
  readonly #said: Headers
  readonly #cookies = new Map<string, string>()
  /** The last `Set-Cookie` of the server, as it came. */
  setCookie: string | undefined

  /** `said` is what it says of where its requests come from. */
  constructor(url: string, said: Headers = { 'sec-fetch-site': 'same-origin' }) {
    this.#url = url
    this.#said = said
  }

  /** A page of somewhere else in the same browser, or one that is shown by a server at another URL, with the same cookies. */
  elsewhere(said: Headers, url = this.#url): Browser {
    const other = new Browser(url, said)
    for (const [name, value] of this.#cookies) other.#cookies.set(name, value)
    return other
  }

  /** The `Cookie` that it sends. */
  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** Asks; responses of operations are checked against the contract, which knows nothing of cookies. */
  async ask(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<RawReply> {
    const reply = await exchange(method, this.#url + path, {
      headers: {
        ...this.#said,
        ...(this.#cookies.size === 0 ? {} : { cookie: this.cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const isJson = /json/.test(reply.headers['content-type'] ?? '')
    const json: unknown = isJson ? JSON.parse(reply.text) : undefined
    const isOwn =
      path.startsWith('/console/') || ['cross_origin', 'session_changed'].includes(codeOf(json) ?? '')
    if (reply.status >= 400 || !isOwn) checkReply(isOwn ? 'CONSOLE' : method, path, reply)
    this.#keep(reply.headers['set-cookie'])
    return { ...reply, json }
  }

  signIn(credentials: { key: string } | { code: string } | { operator_token: string }): Promise<RawReply> {
    return this.ask('POST', '/console/session', credentials)
  }

  #keep(setCookie: string | undefined): void {
    if (setCookie === undefined) return
    this.setCookie = setCookie
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(setCookie) ?? []
    if (value === '') this.#cookies.delete(name)
    else this.#cookies.set(name, value)
  }
}
