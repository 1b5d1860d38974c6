import type { Socket } from 'node:net'
import { placeRefused } from '../failure.ts'
import type { Destination } from '../guard/destination.ts'
import { outboundGuard } from '../guard/guard.ts'
import type { Names } from '../resolve/names.ts'
import type { Time, Timeouts } from '../timeouts.ts'
import type { ProxySettings } from '../tunnel/proxy.ts'
import { vettedAddresses } from './addresses.ts'
import { dial } from './sockets.ts'

export interface ConnectionOptions extends Time {
  /** Blocks of addresses (CIDR) that are gone to though they are not public, by plain http and on any port too. */
  readonly allowedBlocks: readonly string[]
  /** Certificate authorities to trust instead of those that Node trusts, in PEM. */
  readonly ca?: string
  /** What names are looked up with. */
  readonly names: Names
}

/**
 * Opens a connection to a host that somebody else named: the name is resolved once, all its addresses must be allowed, and one
 * of them is used. Throws a FetchFailure, or what a socket or TLS throws. If the caller already knows an allowed address of the
 * host, that is used, and nothing is resolved. `party` is the organization for which that is done.
 */
export type Connect = (to: Trusting, party: string, timeouts: Timeouts, address?: string) => Promise<Socket>

/** A destination, and the certificate authorities to trust there instead of the usual ones, in PEM. */
export interface Trusting extends Destination {
  readonly ca?: string
  /** A proxy to go through. */
  readonly proxy?: ProxySettings
}

/** The only way to connect to hosts that others name. No proxy is used. */
export function guardedConnect({ allowedBlocks, ca: usual, names }: ConnectionOptions): Connect {
  const guard = outboundGuard(allowedBlocks)
  return async (to, party, timeouts, address) => {
    const { ca = usual } = to
    if (address !== undefined) return timeouts.during('connect', dial(to, [address], timeouts.signal, ca))
    // If nothing is listed, the URL is refused without a lookup, so the answer does not reveal which internal names exist.
    if (to.needsListing && allowedBlocks.length === 0) throw placeRefused()
    const addresses = await vettedAddresses(to, guard, names.of(party), timeouts.signal)
    return timeouts.during('connect', dial(to, addresses, timeouts.signal, ca))
  }
}
