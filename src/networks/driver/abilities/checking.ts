import type { Rate } from '../../../runtime/config/setting-values.ts'
import type { NetworkError } from '../outcome.ts'

/** The driver's description of how its network tells whether addresses exist. */
export interface AddressChecks {
  /**
   * Addresses that the network may be asked about through one account, and in which time; at least as many as one request may name. Networks
   * ban accounts that ask too much.
   */
  readonly pace: Rate
}

/**
 * Asks the network whether people have these addresses, which are normalized, each once. Never rejects, and answers at the latest when
 * the network had its time.
 */
export type CheckAddresses = (addresses: readonly string[], signal: AbortSignal) => Promise<AddressesAnswer>

export type AddressesAnswer =
  | { readonly kind: 'checked'; readonly addresses: readonly FoundAddress[] }
  | { readonly kind: 'rejected'; readonly error: NetworkError }
  /** The network could not be asked, or did not answer. */
  | { readonly kind: 'unanswered'; readonly detail: string }

/** The network's word on an address; one that it says nothing about may be left out. */
export interface FoundAddress {
  readonly asked: string
  /** `unknown` if the network cannot say. */
  readonly exists: 'yes' | 'no' | 'unknown'
  /** The address under which the network knows the person, if that is another. */
  readonly canonical?: string
}
