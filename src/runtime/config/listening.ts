import type { Config } from './config.ts'
import type { Address } from './setting-values.ts'

/** The URL at which this machine reaches a listener; the loopback address if it listens on all addresses. */
export function localUrl({ host, port }: Address): string {
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`
}

/** Returns true if only this machine can reach the listener. */
export function isLoopbackAddress(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

/** Returns true if other machines may reach the server, and nothing says that TLS is in front of it. */
export function isInTheOpen({ POSTHORN_LISTEN: { host }, POSTHORN_BASE_URL: url }: Config): boolean {
  return !isLoopbackAddress(host) && !url?.startsWith('https:')
}
