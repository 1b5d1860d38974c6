import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { invalid, Problem } from '../../contract/problem.ts'

/**
 * Checks by which names callers may reach the server. Any web page can make its own name resolve to this machine (DNS
 * rebinding), and its visitors' browsers then ask here in that name; no browser lets it ask in another one.
 */
export class HostCheck {
  readonly #names: ReadonlySet<string>

  /** `allowed` may have `*`, for every name. */
  constructor(baseUrl: string | undefined, allowed: readonly string[]) {
    const own = baseUrl === undefined ? [] : [new URL(baseUrl).hostname]
    this.#names = new Set(['localhost', ...own, ...allowed].map(plain))
  }

  /** Throws the problem of a request that names no server, several, or one that is not this. Health checks may call it anything. */
  check({ headers: { host }, httpVersion, rawHeaders }: IncomingMessage, isHealthCheck = false): void {
    const given = hostsIn(rawHeaders)
    if (given === 0 && httpVersion === '1.1') throw unfit('missing', 'HTTP/1.1 requires the header.')
    if (given > 1) throw unfit('too_many', 'The header appears in the request more than once.')
    if (host !== undefined && !isHealthCheck && !this.allows(host)) throw new Problem('misdirected_request')
  }

  /** True for the value of a `Host` header that is allowed: a name or an address, with any port. */
  allows(host: string): boolean {
    const [, bracketed, name = ''] = /^(?:\[([^\]]+)\]|([^:]*))(?::\d*)?$/.exec(host) ?? []
    if (isIP(bracketed ?? name) !== 0) return true
    return this.#names.has('*') || (bracketed === undefined && this.#names.has(plain(name)))
  }
}

function plain(name: string): string {
  const lower = name.toLowerCase().replace(/\.$/, '')
  return lower === '*' ? lower : domainToASCII(lower)
}

/** Node keeps the first `Host` and drops the others. */
function hostsIn(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}

function unfit(code: string, detail: string): Problem {
  return invalid({ pointer: 'header/Host', code, detail })
}
