import { isIP } from 'node:net'
import type { Destination } from './destination.ts'
import { FetchFailure, placeRefused } from './failure.ts'
import { NameFailure, type NameFailureReason } from './names/name-failure.ts'
import type { PartyNames } from './names/names.ts'
import type { OutboundGuard } from './outbound-guard.ts'

/** How long the name of a URL may take to be looked up, in milliseconds. */
const lookUpLimit = 3_000

/**
 * The addresses of a destination, one or more, all or nothing: one that is not allowed refuses the destination, so that no
 * order of trying can lead there. Throws a FetchFailure, or the reason of the signal.
 */
export async function vettedAddresses(
  { host, needsListing }: Destination,
  guard: OutboundGuard,
  names: PartyNames,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const addresses = isIP(host) === 0 ? await lookUp(host, names, signal) : [host]
  const isGood = (address: string) => (needsListing ? guard.lists(address) : guard.allows(address))
  if (!addresses.every(isGood)) throw placeRefused()
  return addresses
}

async function lookUp(host: string, names: PartyNames, signal: AbortSignal): Promise<readonly string[]> {
  try {
    return await names.addresses(host, { signal, within: lookUpLimit, isWhole: true })
  } catch (error) {
    if (!(error instanceof NameFailure)) throw error
    throw new FetchFailure(reasons[error.reason], error.reason === 'unknown', error.message)
  }
}

const reasons: Readonly<Record<NameFailureReason, 'unreachable' | 'timeout'>> = {
  unknown: 'unreachable',
  fault: 'unreachable',
  timeout: 'timeout',
  busy: 'timeout',
}
