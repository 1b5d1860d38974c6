import type { Socket } from 'node:net'
import { outboundGuard } from '../outbound-guard.ts'
import type { Destination } from './destination.ts'
import { dial } from './dial.ts'
import { placeRefused } from './failure.ts'
import type { Time, Timeouts } from './timeouts.ts'
import { vettedAddresses } from './vetted-addresses.ts'

export interface ConnectionOptions extends Time {
  /** Blocks of addresses (CIDR) that are gone to though they are not public, by plain http and on any port too. */
  readonly allowedBlocks: readonly string[]
  /** Certificate authorities to trust instead of those that Node trusts, in PEM. */
  readonly ca?: string
  /** Name servers to ask instead of the system's, as `address:port`. */
  readonly nameServers?: readonly string[]
}

/**
 * Opens a connection to a place that somebody else named: its name is looked up once, all its addresses must be good, and one
 * of them is dialled. Throws a FetchFailure, or what a socket or TLS throws. Where the caller knows that the place is good
 * and at which address, that is dialled, and nothing is looked up.
 */
export type Connect = (to: Destination, timeouts: Timeouts, address?: string) => Promise<Socket>

/** The one way to connections to places that others name. No proxy is asked. */
export function guardedConnect({ allowedBlocks, ca, nameServers }: ConnectionOptions): Connect {
  const guard = outboundGuard(allowedBlocks)
  return async (to, timeouts, address) => {
    if (address !== undefined) return timeouts.during('connect', dial(to, [address], timeouts.signal, ca))
    // Where nothing is listed, the answer is known, and names inside are not even told from names that are not there.
    if (to.needsListing && allowedBlocks.length === 0) throw placeRefused()
    const addresses = await vettedAddresses(to, guard, timeouts, nameServers)
    return timeouts.during('connect', dial(to, addresses, timeouts.signal, ca))
  }
}
