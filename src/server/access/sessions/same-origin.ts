import type { IncomingMessage } from 'node:http'
import { Problem } from '../../../contract/problem.ts'

export type RequestHead = Pick<IncomingMessage, 'method' | 'headers'>

/** Tells what our own page asks from what another page makes a browser ask, which adds our cookie by itself. */
export class SameOrigin {
  readonly #ownOrigin: string | undefined

  /** `baseUrl` is the URL under which browsers reach the server, if that is not the one that they name in `Host`. */
  constructor(baseUrl: string | undefined) {
    this.#ownOrigin = baseUrl === undefined ? undefined : new URL(baseUrl).origin
  }

  /** Throws the problem of a request that comes, or may come, from a page of another origin. */
  check({ method, headers }: RequestHead): void {
    const isReading = method === 'GET' || method === 'HEAD'
    const site = headers['sec-fetch-site']
    if (site !== undefined) {
      // `none` is what a person enters or opens from a bookmark.
      if (site === 'same-origin' || (isReading && site === 'none')) return
      throw new Problem('cross_origin')
    }
    // Browsers send `Sec-Fetch-Site` only over TLS and to this machine, but `Origin` with every request that changes
    // something.
    if (isReading || this.#isOwn(headers)) return
    throw new Problem('cross_origin')
  }

  #isOwn({ origin, host }: IncomingMessage['headers']): boolean {
    const given = origin === undefined ? undefined : URL.parse(origin)?.origin
    if (given === undefined) return false
    if (given === this.#ownOrigin) return true
    // A page without TLS under the name in that URL could come from an attacker on the path.
    if (this.#ownOrigin !== undefined && new URL(this.#ownOrigin).host === host) return false
    return host !== undefined && given === URL.parse(`http://${host}`)?.origin
  }
}
