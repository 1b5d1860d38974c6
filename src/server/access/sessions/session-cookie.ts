import type { IncomingHttpHeaders } from 'node:http'
import { sessionTimes } from '../../../organizations/session-store.ts'

/** The cookie that carries the token of a session. */
export class SessionCookie {
  readonly #name: string
  readonly #attributes: string

  /** `baseUrl` is the URL under which browsers reach the server; if it is https, the cookie never leaves them without TLS. */
  constructor(baseUrl: string | undefined) {
    const isSecure = baseUrl?.startsWith('https:') ?? false
    // A name with this prefix can be set neither without TLS nor by another host (RFC 6265bis, section 4.1.3).
    this.#name = isSecure ? '__Host-posthorn_session' : 'posthorn_session'
    this.#attributes = `HttpOnly; SameSite=Strict; Path=/${isSecure ? '; Secure' : ''}`
  }

  /** The token. Undefined without a cookie, and with several: one of them could be another host's. */
  read({ cookie = '' }: IncomingHttpHeaders): string | undefined {
    const start = `${this.#name}=`
    const found = cookie.split(/; */).filter((pair) => pair.startsWith(start))
    return found.length === 1 ? found[0]?.slice(start.length) : undefined
  }

  /** The value of `Set-Cookie` that makes a browser send the token. */
  set(token: string): string {
    return `${this.#name}=${token}; Max-Age=${sessionTimes.longest / 1000}; ${this.#attributes}`
  }

  /** The value of `Set-Cookie` that makes a browser forget it. */
  clear(): string {
    return `${this.#name}=; Max-Age=0; ${this.#attributes}`
  }
}
