/**
 * A network's posts of its events to a URL of this server. Each instance has a URL of its own, unless it uses the one of the
 * operator (`shared`).
 */
export interface Callbacks {
  /** The largest body that is accepted, in bytes. */
  readonly maxBytes: number
  /** The headers that `verify` needs, in lower case. */
  readonly headers: readonly string[]
  /**
   * Decides if a request really comes from the network, and what becomes of it. Pure, synchronous and cheap: it compares
   * secrets in constant time, and throws nothing, even for a forged request.
   */
  verify(request: CallbackRequest, settings: Given, credentials: Given): CallbackVerification
  /** True if an instance with these settings is called back; absent if every one is. */
  usedWith?(settings: Given): boolean
  /** Present if the operator has one URL that the network calls for the accounts of many instances. */
  readonly shared?: SharedCallbacks
}

/**
 * One URL for many accounts, because they belong to one app of the operator. Everything here is pure, synchronous and cheap. Who gets
 * which part, the server knows from what connections have claimed (`ConnectContext.claim`).
 */
export interface SharedCallbacks {
  /** The same as `Callbacks.verify`, with the secrets of the operator. */
  verify(request: CallbackRequest): CallbackVerification
  /** True if an instance with these credentials is called back at this URL, and never at its own. */
  isUsedBy(credentials: Given): boolean
  /**
   * Takes a callback that was verified apart: each part has the form of a callback, and everything that is about one account, or about
   * one group, is in one part. Throws an UnreadableCallback if it is none.
   */
  split(body: Buffer): readonly CallbackPart[]
}

/** The part of a callback about one account, or about a group of accounts as a whole. */
export interface CallbackPart {
  readonly about: 'account' | 'group'
  /** The account or the group, as it is claimed. */
  readonly name: string
  readonly body: Buffer
}

/**
 * The account that a connection has proven to the network to be its own. Opaque texts of the driver, of at most
 * `longestClaim`.
 */
export interface Claim {
  /** Only one instance may have claimed it at a time. */
  readonly account: string
  /** The group that the account is part of; several may have claimed it. Null if it is not known. */
  readonly group: string | null
}

/** In UTF-16 units. */
export const longestClaim = 64

/** Settings or credentials, in the form that the driver describes. */
type Given = Readonly<Record<string, unknown>>

/** A request to the callback URL of an instance. */
export interface CallbackRequest {
  readonly method: 'GET' | 'POST'
  /** Of a parameter that is repeated, the first value. */
  readonly query: Readonly<Record<string, string>>
  /** Those of `Callbacks.headers` that were sent. */
  readonly headers: Readonly<Record<string, string>>
  /** As it came; empty if there is none. */
  readonly rawBody: Buffer
}

export type CallbackVerification =
  /** The request is stored, then answered with 200, and later handed to `Connection.receive`. */
  | { readonly kind: 'keep' }
  /**
   * The response is sent at once and the request is not stored, for example because the network only checks that the URL
   * works.
   */
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly body: string
      readonly contentType: string
    }
  /**
   * The request does not come from the network, or cannot be understood. `detail` is sent; it repeats nothing of the
   * request.
   */
  | { readonly kind: 'refused'; readonly status: 400 | 401 | 403 | 405; readonly detail: string }

/** A callback that was stored. */
export interface Callback {
  /** The same whenever the callback is handed over, and that of no other. */
  readonly id: string
  /** The time of arrival, in milliseconds since the epoch. */
  readonly received_at: number
  readonly body: Buffer
}

/** Result of `Connection.receive`. */
export interface CallbackReported {
  /** Resolves once everything that was reported for the callback is stored, or to false if something of it is not. */
  readonly stored: Promise<boolean>
}

/** The error of `Connection.receive` for a callback that can never be understood: it is then skipped at once. */
export class UnreadableCallback extends Error {}
