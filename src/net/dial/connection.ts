import type { Socket } from 'node:net'
import { placeRefused } from '../failure.ts'
import type { Destination } from '../guard/destination.ts'
import { type OutboundGuard, outboundGuard } from '../guard/guard.ts'
import type { NameResolver } from '../resolve/names.ts'
import type { Time, Timeouts } from '../timeouts.ts'
import { type ProxySettings, readProxy } from '../tunnel/proxy.ts'
import { allowedAddresses, dial } from './dial.ts'

export interface OutgoingConnectionOptions extends Time {
  /** Blocks of addresses (CIDR) that are gone to though they are not public, by plain http and on any port too. */
  readonly allowedBlocks: readonly string[]
  /** Certificate authorities to trust instead of those that Node trusts, in PEM. */
  readonly ca?: string
  /** Resolver of host names. */
  readonly names: NameResolver
}

/**
 * Opens a connection to a host that another party named: the name is resolved once, all its addresses must be allowed, and
 * one of them is used. Throws a NetFailure, or the error of the socket or TLS. An address that the caller already knows to
 * be allowed is used without resolving the name. `party` is the organization that the connection is for.
 */
export type Connect = (to: Trusting, party: string, timeouts: Timeouts, address?: string) => Promise<Socket>

/** A destination, and the certificate authorities to trust there instead of the usual ones, in PEM. */
export interface Trusting extends Destination {
  readonly ca?: string
  /** A proxy to go through: it resolves the name of the destination, and the guard decides about its own address alone. */
  readonly proxy?: ProxySettings
  /** Decides about the addresses, and nothing else does. */
  readonly guard?: Pick<OutboundGuard, 'allows'>
}

/** Milliseconds that looking up the name of a URL may take. */
const lookUpTimeout = 3_000

/** The only way to connect to the hosts of URLs. */
export function guardedConnect({ allowedBlocks, ca: usual, names }: OutgoingConnectionOptions): Connect {
  const guard = outboundGuard(allowedBlocks)
  return async (to, party, timeouts, address) => {
    const { signal } = timeouts
    const { ca = usual } = to
    const proxy = to.proxy && readProxy(to.proxy)
    // A proxy would see what is not encrypted.
    if (proxy && !to.encrypted) throw placeRefused()
    const needsListing = !proxy && !to.guard && to.needsListing
    // If nothing is listed, the URL is refused without a lookup, so the failure does not reveal which internal names exist.
    if (needsListing && !guard.listsAny && address === undefined) throw placeRefused()
    const judge = to.guard ?? (needsListing ? { allows: guard.lists } : guard)
    const question = { signal, within: lookUpTimeout, isWhole: !proxy }
    const { host } = proxy ?? to
    const addresses =
      address === undefined
        ? await allowedAddresses(host, judge, names.of(party), question, placeRefused)
        : [address]
    return timeouts.during('connect', dial(to, addresses, { signal, ca, proxy }))
  }
}
