import { isIP } from 'node:net'
import { FetchFailure, placeRefused } from '../failure.ts'
import type { Destination } from '../guard/destination.ts'
import { type OutboundGuard, refusal } from '../guard/guard.ts'
import { NameFailure, type NameFailureReason } from '../resolve/name-failure.ts'
import type { NameQuestion, PartyNames } from '../resolve/names.ts'

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

/**
 * The addresses of a host that somebody else named, one or more, all or nothing: one that is not allowed refuses the host, so that
 * no order of attempts can reach it. Rejects with an AddressRefused, or as `PartyNames.addresses` does.
 */
export async function allowedAddresses(
  host: string,
  guard: Pick<OutboundGuard, 'allows'>,
  names: PartyNames,
  question: NameQuestion,
): Promise<readonly string[]> {
  const addresses = isIP(host) === 0 ? await names.addresses(host, question) : [host]
  if (!addresses.every((address) => guard.allows(address))) throw refusal()
  return addresses
}
