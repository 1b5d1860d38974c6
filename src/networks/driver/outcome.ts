/**
 * The outcome of one attempt to hand a message to a network. A driver answers with exactly one of these and draws no
 * conclusions: the outbox decides whether to try again.
 */
export type Outcome =
  /** The network itself acknowledged the message: delivering it is now up to the network. */
  | AcceptedOutcome
  /** The network refused. `permanent` says whether it would refuse the same message forever. */
  | { readonly kind: 'rejected'; readonly error: NetworkError }
  /**
   * The network refused for now, and said when to ask again (milliseconds since the epoch). Nothing was delivered. `scope`:
   * whether it refuses messages to this recipient only, or every message of the account.
   */
  | {
      readonly kind: 'deferred'
      readonly until: number
      readonly scope: 'recipient' | 'instance'
      readonly error: NetworkError
    }
  /**
   * It cannot be known whether the network accepted the message: the connection broke before the answer came. `counted` is present
   * if the network says that it received the message but nothing proves it: a repetition would probably be a duplicate.
   */
  | { readonly kind: 'uncertain'; readonly detail: string; readonly counted?: true }

export interface AcceptedOutcome {
  readonly kind: 'accepted'
  /** Present if the network assigned an id; it may not have one yet. */
  readonly network_message_id?: string
  /** Facts that callers should know about how it was sent. */
  readonly notices?: readonly Notice[]
}

/** A refusal in Posthorn's words, with the network's own code if there is one. */
export interface NetworkError {
  /** Stable, snake_case, from the driver's list, for example `recipient_unknown`. */
  readonly code: string
  /** The cause and what to do next, in English sentences; no secret, no address of another party. */
  readonly detail: string
  readonly permanent: boolean
  /** The network's own code or condition, verbatim. */
  readonly network_code?: string
}

/** A deviation of the driver from the request, for example that an image was sent as a document. */
export interface Notice {
  /** Stable, snake_case, from the driver's list of notices. */
  readonly code: string
  /** The deviation and its meaning, in English sentences. */
  readonly detail: string
}

export const accepted: Outcome = { kind: 'accepted' }

/** The outcome of an attempt whose answer never came. */
export function uncertain(detail: string): Outcome {
  return { kind: 'uncertain', detail }
}

/** The outcome of an attempt that the network counted as received but cannot show. */
export function unproven(detail: string): Outcome {
  return { kind: 'uncertain', detail, counted: true }
}

/** The outcome of an attempt that the network refused. */
export function rejected(error: NetworkError): Outcome {
  return { kind: 'rejected', error }
}
