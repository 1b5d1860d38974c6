import type { IncomingHttpHeaders } from 'node:http'
import { isIPv4 } from 'node:net'
import parseForwarded from 'forwarded-parse'
import ipaddr from 'ipaddr.js'
import { AddressBlocks } from '../../runtime/address-blocks.ts'

/** The most proxies that are passed on the way to the client's address. */
const maxProxies = 16

/**
 * Finds the address of the client behind the proxies that the operator trusts. Only these are believed, one after another
 * from the nearest: the first address that is not theirs is the client's (RFC 7239, section 8.1).
 */
export class ClientAddresses {
  readonly #proxies: AddressBlocks | undefined

  constructor(trustedProxies: readonly string[]) {
    this.#proxies = trustedProxies.length > 0 ? new AddressBlocks(trustedProxies) : undefined
  }

  isProxy(address: string): boolean {
    return this.#proxies?.has(address) ?? false
  }

  /** `nearest` is the address at the other end of the connection, as `plainAddress` gives it. */
  of(nearest: string, headers: IncomingHttpHeaders): string {
    let address = nearest
    if (!this.isProxy(address)) return address
    for (const hop of hopsIn(headers).slice(-maxProxies).reverse()) {
      // The proxy hides the address; anything before it may be forged.
      if (hop === undefined) return address
      address = hop
      if (!this.isProxy(address)) return address
    }
    return address
  }
}

/**
 * The addresses that the headers name, the client's first; undefined in place of what is no address. None if the two headers
 * differ, since the proxy writes only one of them, and the other one is the client's own.
 */
function hopsIn(headers: IncomingHttpHeaders): (string | undefined)[] {
  const { forwarded } = headers
  const listed = headers['x-forwarded-for']
  const first = forwarded === undefined ? undefined : forwardedHops(forwarded)
  const second = listed === undefined ? undefined : String(listed).split(',').map(addressIn)
  if (first && second) return first.join() === second.join() ? first : []
  return first ?? second ?? []
}

function forwardedHops(header: string): (string | undefined)[] {
  try {
    return parseForwarded(header).map(({ for: node }) => addressIn(node ?? ''))
  } catch {
    return []
  }
}

/** `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]` and `[2001:db8::1]:4711` (RFC 7239, section 6). */
function addressIn(node: string): string | undefined {
  const text = node.trim()
  const bare = /^\[([^\]]*)\](?::\w+)?$/.exec(text)?.[1] ?? /^([^:]*):\w+$/.exec(text)?.[1] ?? text
  return plainAddress(bare)
}

/** One spelling for each address: without a zone, and as IPv4 if it is IPv4 wrapped in IPv6. Undefined if it is not an address. */
export function plainAddress(text: string): string | undefined {
  if (isIPv4(text)) return text
  const [bare = ''] = text.split('%')
  if (!bare.includes(':') || !ipaddr.IPv6.isValid(bare)) return undefined
  return ipaddr.process(bare).toString()
}

/**
 * Returns the block of addresses that one client has: one address of IPv4, but a whole /64 of IPv6. Takes the result of
 * `plainAddress`.
 */
export function addressBlockOf(address: string): string {
  if (isIPv4(address)) return address
  const { parts } = ipaddr.IPv6.parse(address)
  const prefix = parts.slice(0, 4).map((part) => part.toString(16))
  return `${prefix.join(':')}::/64`
}
