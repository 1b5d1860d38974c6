import type { HttpClient } from '../../../net/http/client.ts'
import type { SealedCredentials, Settings } from '../account.ts'

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
  verify(request: CallbackRequest, settings: Settings, credentials: SealedCredentials): CallbackVerification
  /** True if an instance with these settings is called back; absent if every one is. */
  usedWith?(settings: Settings): boolean
  /** Present if the operator has one URL that the network calls for the accounts of many instances. */
  readonly shared?: SharedCallbacks
}

/**
 * One URL for many accounts, because they belong to one app of the operator. What is about a request is pure, synchronous
 * and cheap. The server knows from what connections have claimed which instance gets which part (`InstanceCallbacks.claim`).
 */
export interface SharedCallbacks {
  /** The same as `Callbacks.verify`, with the secrets of the operator. */
  verify(request: CallbackRequest): CallbackVerification
  /** True if an instance with these credentials is called back at this URL, and never at its own. */
  isUsedBy(credentials: SealedCredentials): boolean
  /**
   * Takes a callback that was verified apart: each part has the form of a callback, and everything that is about one account, or about
   * one group, is in one part. Throws an UnreadableCallback if it is none.
   */
  split(body: Buffer): readonly CallbackPart[]
  /**
   * Asks the network if the credentials of an instance reach the account that it has claimed, whether it is connected or not. Never
   * rejects, and answers at the latest when the network had its time.
   */
  verifyAccount(question: AccountQuestion): Promise<AccountProof>
}

/** A question whether an instance with these settings and credentials still has an account. */
export interface AccountQuestion {
  readonly settings: Settings
  readonly credentials: SealedCredentials
  /** As it is claimed. */
  readonly account: string
  readonly http: HttpClient
  /** Aborts when the answer is of no interest any longer. */
  readonly signal: AbortSignal
}

/** `refused` if the network refuses the credentials or the account; `unknown` if it gives no such answer. */
export type AccountProof = 'proven' | 'refused' | 'unknown'

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

/** Callbacks to the instance of one connection. */
export interface InstanceCallbacks {
  /** The URL at which the network can call this instance back; null if the operator did not say at which URL the server is reached. */
  readonly url: string | null
  /**
   * Resolves with true if `url`, which the network calls, is a callback URL of this server that has no use any more: its
   * instance is removed, or would refuse this request, for example because it uses another account by now. False if that is
   * not known. Never rejects.
   */
  isAbandoned(url: string, request: CallbackRequest): Promise<boolean>
  /**
   * Claims the account for the instance: from then on, it gets what is posted to the URL of the operator about it. Call it once
   * the network has shown that the credentials reach the account, and before `connection-opened` is reported. Resolves to false
   * if the connection is over, for example because another instance has the account; then nothing more is to be reported. Never
   * rejects. Present if the instance is called back at that URL.
   */
  readonly claim?: (claim: Claim) => Promise<boolean>
}

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
  /** The request is stored, then answered with 200, and later handed to the connection (`ReceiveCallback`). */
  | { readonly kind: 'keep' }
  /**
   * The response is sent at once and the request is not stored, for example because the network only checks that the URL
   * works.
   */
  | {
      readonly kind: 'response'
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

/**
 * Reports what a callback says, and resolves when all of it is reported. The callbacks of an instance come one after the other, in
 * the order in which they were stored, while the connection is open. One may come again until everything that was reported for
 * it is stored. If there is much in it, the driver waits now and then until what it has reported is stored. Rejects if
 * it cannot be handled: with an UnreadableCallback if it never can be.
 */
export type ReceiveCallback = (callback: Callback) => Promise<CallbackReported>

/** Result of handing over a callback. */
export interface CallbackReported {
  /** Resolves once everything that was reported for the callback is stored, or to false if something of it is not. */
  readonly stored: Promise<boolean>
}

/** The error of `ReceiveCallback` for a callback that can never be understood: it is then skipped at once. */
export class UnreadableCallback extends Error {}
