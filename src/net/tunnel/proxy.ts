import { NetFailure } from '../failure.ts'

/** A proxy as callers name it. */
export interface ProxySettings {
  /** `http`, `https` (the connection to the proxy is encrypted, too), `socks5` or `socks5h`, with a host and perhaps a port. */
  readonly url: string
  readonly username?: string
  readonly password?: string
}

/** The far end of a connection: a name or an address without brackets, and a port. */
export interface DialTarget {
  readonly host: string
  readonly port: number
}

/** The address, the protocol and the credentials of a proxy. */
export interface ProxyServer {
  readonly kind: 'http' | 'https' | 'socks5'
  readonly host: string
  readonly port: number
  readonly credentials: ProxyCredentials | null
}

export interface ProxyCredentials {
  readonly username: string
  readonly password: string
}

const longestUrl = 512
const longestCredential = 255

/** The name always goes to the proxy to be resolved, so the two names of SOCKS5 mean the same. */
const kinds: Readonly<Record<string, { readonly kind: ProxyServer['kind']; readonly port: number }>> = {
  'http:': { kind: 'http', port: 80 },
  'https:': { kind: 'https', port: 443 },
  'socks5:': { kind: 'socks5', port: 1080 },
  'socks5h:': { kind: 'socks5', port: 1080 },
}

/** Returns the fault in the settings of a proxy, as a sentence that does not repeat them; null if there is none. */
export function proxyFault(settings: ProxySettings): string | null {
  const proxy = read(settings)
  return typeof proxy === 'string' ? proxy : null
}

/** Reads the settings of a proxy. Throws the sentence of `proxyFault`. */
export function readProxy(settings: ProxySettings): ProxyServer {
  const proxy = read(settings)
  if (typeof proxy === 'string') throw new TypeError(proxy)
  return proxy
}

function read({ url: text, username, password }: ProxySettings): ProxyServer | string {
  const url = text.length <= longestUrl ? URL.parse(text) : null
  const known = kinds[url?.protocol ?? '']
  if (!url || !known || url.hostname === '' || url.port === '0')
    return 'The URL of a proxy must begin with http://, https:// or socks5://, and have a host. A port is a number from 1 to 65535.'
  if (url.username !== '' || url.password !== '')
    return 'The URL of a proxy must not contain a user or password. Give them in fields of their own.'
  if (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '')
    return 'The URL of a proxy must end after its host and port.'
  if (username === undefined && password !== undefined) return 'A password for a proxy needs a user name.'
  if ([username, password].some((given) => given !== undefined && !isCredential(given)))
    return `The user name and the password for a proxy must have 1 to ${longestCredential} bytes, and no control characters.`
  if (username?.includes(':') && known.kind !== 'socks5')
    return 'The user name for a proxy must not contain a colon.'
  return {
    kind: known.kind,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? known.port : Number(url.port),
    credentials: username === undefined ? null : { username, password: password ?? '' },
  }
}

/** True if both kinds of proxies can carry the text (RFC 7617 section 2, RFC 1929 section 2). */
function isCredential(text: string): boolean {
  const bytes = Buffer.byteLength(text)
  return bytes >= 1 && bytes <= longestCredential && !/\p{Cc}/u.test(text)
}

/** The proxy ended the connection before it had responded. */
export function hungUp(): NetFailure {
  return new NetFailure('unreachable', false, 'the proxy closed the connection')
}

/** The failure of a proxy whose response does not follow its protocol. */
export function malformedResponse(): NetFailure {
  return new NetFailure('malformed', false, 'the proxy sent a response that its protocol does not define')
}
