import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Destination } from './destination.ts'
import { FetchFailure, placeRefused } from './failure.ts'
import type { OutboundGuard } from './outbound-guard.ts'
import { stepLimits, type Timeouts } from './timeouts.ts'

/**
 * The addresses of a destination, one or more, all or nothing: one that is not allowed refuses the destination, so that no
 * order of trying can lead there. `nameServers` are asked instead of the system's, as `address:port`.
 */
export async function vettedAddresses(
  destination: Destination,
  guard: OutboundGuard,
  timeouts: Timeouts,
  nameServers: readonly string[] | undefined,
): Promise<readonly string[]> {
  const { host, needsListing } = destination
  const addresses = isIP(host) === 0 ? await lookUp(host, timeouts, nameServers) : [host]
  const isGood = (address: string) => (needsListing ? guard.lists(address) : guard.allows(address))
  if (!addresses.every(isGood)) throw placeRefused()
  return addresses
}

/**
 * Asks for A and AAAA records at once, and is content with one answer if the other does not come. A resolver each, so that
 * it can be given up alone.
 */
async function lookUp(
  name: string,
  timeouts: Timeouts,
  nameServers: readonly string[] | undefined,
): Promise<string[]> {
  const { signal } = timeouts
  const resolver = new Resolver({ timeout: stepLimits.lookUp / 3, tries: 3 })
  if (nameServers !== undefined) resolver.setServers(nameServers)
  const giveUp = () => resolver.cancel()
  signal.addEventListener('abort', giveUp)
  const alarm = timeouts.alarm('lookUp', giveUp)
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  alarm.cancel()
  signal.removeEventListener('abort', giveUp)
  signal.throwIfAborted()
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (addresses.length > 0) return addresses
  throw lookUpFailure(
    answers.map((answer) => (answer.status === 'rejected' ? answer.reason?.code : undefined)),
  )
}

/** The failure for the codes of c-ares, of all questions asked. */
function lookUpFailure(codes: readonly unknown[]): FetchFailure {
  if (codes.every((code) => code === 'ENOTFOUND' || code === 'ENODATA')) {
    return new FetchFailure('unreachable', true, "the server's name does not exist")
  }
  if (codes.some((code) => code === 'ETIMEOUT' || code === 'ECANCELLED')) {
    return new FetchFailure('timeout', false, "looking up the server's name took too long")
  }
  return new FetchFailure('unreachable', false, "the server's name could not be looked up")
}
