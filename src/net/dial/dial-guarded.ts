import type { Socket } from 'node:net'
import { FetchFailure } from '../failure.ts'
import { AddressRefused, type OutboundGuard } from '../guard/guard.ts'
import type { PartyNames } from '../resolve/names.ts'
import { ConnectFailure } from '../tunnel/connect-failure.ts'
import type { Target } from '../tunnel/proxy.ts'
import { allowedAddresses } from './addresses.ts'
import { dialPlain } from './sockets.ts'

/** Where somebody's connections may lead, and how their names are looked up. */
export interface Reach {
  readonly guard: OutboundGuard
  readonly names: PartyNames
}

/**
 * Connects to a host that somebody else named: its name is resolved once, all its addresses must be allowed, and the other end
 * of the connection must be one of them. Rejects with a ConnectFailure; `what` names the host there.
 */
export async function dialGuarded(
  { host, port }: Target,
  { guard, names }: Reach,
  what: 'proxy' | 'server',
  signal: AbortSignal,
): Promise<Socket> {
  try {
    const addresses = await allowedAddresses(host, guard, names, { signal })
    return await dialPlain({ host, port }, addresses, signal)
  } catch (error) {
    const isRefused = error instanceof AddressRefused || error instanceof FetchFailure
    throw isRefused
      ? new ConnectFailure(
          'address_refused',
          `the operator does not let instances connect to the address of the ${what}`,
        )
      : new ConnectFailure('unreachable', `the ${what} could not be reached`)
  }
}
