/**
 * Why a name led nowhere: it does not exist, or has no such records (`unknown`); no name server answered in time (`timeout`); they
 * answered with an error (`fault`); or too many look-ups of the same party were waiting (`busy`).
 */
export type NameFailureReason = 'unknown' | 'timeout' | 'fault' | 'busy'

/** How many look-ups may be under way (each has a socket or two, and ends within seconds), and how many of a party may wait. */
export const lookUpLimits = { limit: 256, limitPerParty: 32, queuePerParty: 1_000 }

const { limitPerParty, queuePerParty } = lookUpLimits
const inFull = (number: number) => number.toLocaleString('en')

const sentences: Readonly<Record<NameFailureReason, string>> = {
  unknown: "the server's name does not exist",
  timeout: "looking up the server's name took too long",
  fault: "the server's name could not be looked up",
  busy:
    `this organization already has ${inFull(limitPerParty)} names being looked up and ${inFull(queuePerParty)} waiting for it, ` +
    'and may have no more; use fewer servers whose name servers do not answer, or try again in a few seconds',
}

/** A name could not be looked up. The message does not repeat the name, so whoever gave it may read it. */
export class NameFailure extends Error {
  override readonly name = 'NameFailure'
  readonly reason: NameFailureReason
  /** As the system's resolver calls it. */
  readonly code: 'ENOTFOUND' | 'EAI_AGAIN'

  constructor(reason: NameFailureReason) {
    super(sentences[reason])
    this.reason = reason
    this.code = reason === 'unknown' ? 'ENOTFOUND' : 'EAI_AGAIN'
  }
}

/** The failure for the codes of c-ares, of all questions that were asked about a name. */
export function nameFailureFrom(codes: readonly unknown[]): NameFailure {
  if (codes.every(meansUnknown)) return new NameFailure('unknown')
  const isLate = codes.some((code) => code === 'ETIMEOUT' || code === 'ECANCELLED')
  return new NameFailure(isLate ? 'timeout' : 'fault')
}

function meansUnknown(code: unknown): boolean {
  return code === 'ENOTFOUND' || code === 'ENODATA'
}
