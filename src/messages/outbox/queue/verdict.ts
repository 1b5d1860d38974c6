import type { AcceptedOutcome, NetworkError, Outcome } from '../../../networks/driver/outcome.ts'

/** The consequence of an attempt: the message is settled, or it is tried again at a time. */
export type Verdict =
  | {
      readonly kind: 'sent'
      /** The id that the network assigned. */
      readonly networkId?: string
      /** JSON text. */
      readonly notices?: string
      /** The attempt had been given up before. */
      readonly late?: true
    }
  | { readonly kind: 'failed'; readonly error: NetworkError }
  /** `late`: the attempt had been given up before, so the message may wait for the next one by now. */
  | { readonly kind: 'unknown'; readonly late?: true }
  | {
      readonly kind: 'again'
      readonly at: number
      readonly error: NetworkError | null
      readonly uncertain: boolean
      /** The network said when to try again. */
      readonly deferred?: true
      /** The attempt was claimed and never begun, so it does not count. */
      readonly unbegun?: boolean
    }

export interface AttemptFacts {
  /** Counted from 1. */
  readonly attempt: number
  readonly dedupesById: boolean
  /** Milliseconds that dispatch waited in vain for an answer; 0 if the driver gave one. */
  readonly waited: number
  /** Milliseconds since the epoch. */
  readonly now: number
  /** A number in [0, 1). */
  readonly random: number
}

const firstDelay = 1_000
const longestDelay = 5 * 60_000

/**
 * Returns the milliseconds that a message waits after its n-th refused attempt: doubling from a second to five minutes, less
 * up to a quarter.
 */
export function retryDelay(attempt: number, random: number): number {
  return Math.min(longestDelay, firstDelay * 2 ** Math.min(attempt - 1, 20)) * (1 - random / 4)
}

/** Decides what follows from an attempt. This is the only place that does. */
export function judge(outcome: Outcome, facts: AttemptFacts): Verdict {
  switch (outcome.kind) {
    case 'accepted':
      return sentBy(outcome)
    case 'rejected':
      if (outcome.error.permanent) return { kind: 'failed', error: outcome.error }
      return again(facts.now + retryDelay(facts.attempt, facts.random), outcome.error)
    case 'deferred':
      return { ...again(Math.max(outcome.until, facts.now), outcome.error), deferred: true }
    case 'uncertain':
      if (!facts.dedupesById || outcome.counted) return { kind: 'unknown' }
      return { kind: 'again', at: Math.round(facts.now + repeatDelay(facts)), error: null, uncertain: true }
  }
}

/** The verdict on an attempt that the network accepted. */
export function sentBy({ network_message_id, notices = [] }: AcceptedOutcome) {
  return {
    kind: 'sent',
    ...(network_message_id !== undefined && { networkId: network_message_id }),
    ...(notices.length > 0 && { notices: JSON.stringify(notices) }),
  } as const
}

/**
 * Decides what follows from attempts for messages to one recipient that were sent together, in their order. One that the
 * network refused for now is not tried again if a later one may have arrived: it would arrive after that one. One that may
 * have arrived itself is repeated, unless a later one was acknowledged and it was not, which a network that keeps order
 * never does.
 */
export function judgeTogether(verdicts: readonly Verdict[]): Verdict[] {
  const lastSent = verdicts.findLastIndex(({ kind }) => kind === 'sent')
  const lastUncertain = verdicts.findLastIndex(
    (verdict) => verdict.kind === 'unknown' || (verdict.kind === 'again' && verdict.uncertain),
  )
  const lastPossible = Math.max(lastSent, lastUncertain)
  return verdicts.map((verdict, index) => {
    if (verdict.kind !== 'again' || verdict.unbegun) return verdict
    if (verdict.error && index < lastPossible) return { kind: 'failed', error: verdict.error }
    return verdict.uncertain && index < lastSent ? { kind: 'unknown' } : verdict
  })
}

/**
 * The first repetition follows at once, because the connection is usually what broke and its return is waited for anyway. A
 * message that kept its place in vain stays away at least as long, so that the others have it half of the time.
 */
function repeatDelay({ attempt, random, waited }: AttemptFacts): number {
  return Math.max(waited, attempt <= 1 ? 0 : retryDelay(attempt - 1, random))
}

function again(at: number, error: NetworkError) {
  return { kind: 'again', at: Math.round(at), error, uncertain: false } as const
}
