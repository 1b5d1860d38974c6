import { inFull } from '../../runtime/text/in-full.ts'
import { NetFailure } from '../failure.ts'

/**
 * Reasons for which a look-up failed: the name does not exist, or has no such records (`unknown`); no name server responded in time (`timeout`); they responded with an error (`fault`); or too many look-ups of the same party were waiting (`busy`).
 */
type NameFault = 'unknown' | 'timeout' | 'fault' | 'busy'

/**
 * Look-ups that may be under way in all and of one party (each has a socket or two, and ends within seconds), and look-ups
 * of one party that may wait.
 */
export const lookUpLimits = { limit: 256, limitPerParty: 32, queuePerParty: 1_000 }

const { limitPerParty, queuePerParty } = lookUpLimits

const clauses: Readonly<Record<NameFault, string>> = {
  unknown: "the server's name does not exist",
  timeout: "looking up the server's name took too long",
  fault: "the server's name could not be looked up",
  busy:
    `this organization already has ${inFull(limitPerParty)} names being looked up and ${inFull(queuePerParty)} waiting for it, ` +
    'and may have no more; use fewer servers whose name servers do not respond, or try again in a few seconds',
}

/** The failure of a look-up. It does not repeat the name, and its code is the one of the system's resolver. */
export function nameFailure(fault: NameFault): NetFailure {
  const isUnknown = fault === 'unknown'
  const reason = isUnknown || fault === 'fault' ? 'unreachable' : 'timeout'
  return new NetFailure(reason, isUnknown, clauses[fault], { code: isUnknown ? 'ENOTFOUND' : 'EAI_AGAIN' })
}

/** The failure for the codes of c-ares, of all questions that were asked about a name. */
export function nameFailureFrom(codes: readonly unknown[]): NetFailure {
  if (codes.every((code) => code === 'ENOTFOUND' || code === 'ENODATA')) return nameFailure('unknown')
  return nameFailure(codes.some((code) => code === 'ETIMEOUT' || code === 'ECANCELLED') ? 'timeout' : 'fault')
}
