import { isIP, type Socket } from 'node:net'
import { abortOf } from '../../abort.ts'
import { dialPlain } from '../dial.ts'
import { FetchFailure } from '../failure.ts'
import { AddressRefused, type OutboundGuard, refusal } from '../outbound-guard.ts'
import { ConnectFailure } from './connect-failure.ts'
import type { Target } from './target.ts'

/**
 * Connects to a host that somebody else named: its name is resolved once, all its addresses must be allowed, and the other end
 * of the connection must be one of them. Rejects with a ConnectFailure; `what` names the host there.
 */
export async function dialGuarded(
  { host, port }: Target,
  guard: OutboundGuard,
  what: 'proxy' | 'server',
  signal: AbortSignal,
): Promise<Socket> {
  try {
    const addresses = isIP(host) === 0 ? await lookUp(host, guard, signal) : [host]
    if (!addresses.every((address) => guard.allows(address))) throw refusal()
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

/** The system's resolver cannot be ended, so nobody waits for it longer than the signal says. */
async function lookUp(host: string, guard: OutboundGuard, signal: AbortSignal): Promise<string[]> {
  const looking = new Promise<string[]>((resolve, reject) => {
    guard.lookup(host, { all: true }, (error, found) => {
      if (error) reject(error)
      else resolve(Array.isArray(found) ? found.map(({ address }) => address) : [])
    })
  })
  const found = await Promise.race([looking, abortOf(signal)])
  signal.throwIfAborted()
  if (!found || found.length === 0) throw new Error('the name has no address')
  return found
}
