/**
 * What became of one attempt to hand a message to a network. A driver answers with exactly one of these and draws no
 * conclusion from it: whether to try again is decided by the outbox.
 */
export type Outcome =
  /** The network itself acknowledged the message: it is now the network's to deliver. */
  | { readonly kind: 'accepted' }
  /** The network said no. `permanent` tells whether the same message could ever be taken. */
  | { readonly kind: 'rejected'; readonly error: NetworkError }
  /** The network said not now, and when (milliseconds since the epoch) to ask again. Nothing was delivered. */
  | { readonly kind: 'deferred'; readonly until: number; readonly error: NetworkError }
  /**
   * It cannot be known whether the network took the message: the connection broke before the answer came. `counted` is there
   * if the network says that it received the message, and nothing shows that it kept it: a repetition would likely double it.
   */
  | { readonly kind: 'uncertain'; readonly detail: string; readonly counted?: true }

/** A refusal in Posthorn's words, with the network's own code beside it where it gave one. */
export interface NetworkError {
  /** Stable, snake_case, of the driver's list, for example `recipient_unknown`. */
  readonly code: string
  /** What happened and what to do next, in English sentences; no secret, no address of another party. */
  readonly detail: string
  readonly permanent: boolean
  /** The network's own code or condition, word for word. */
  readonly network_code?: string
}

export const accepted: Outcome = { kind: 'accepted' }

/** The outcome of an attempt whose answer never came. */
export function uncertain(detail: string): Outcome {
  return { kind: 'uncertain', detail }
}

/** The outcome of an attempt that the network counted as received, and cannot show. */
export function unproven(detail: string): Outcome {
  return { kind: 'uncertain', detail, counted: true }
}

/** The outcome of an attempt that the network refused. */
export function rejected(error: NetworkError): Outcome {
  return { kind: 'rejected', error }
}
