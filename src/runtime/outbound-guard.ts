import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { AddressBlocks } from './address-blocks.ts'
import { isPublic } from './public-address.ts'

/** Judges whether this server may connect to an address that somebody else chose. */
export interface OutboundGuard {
  /** True for public addresses and for those that the operator listed. `address` is an IP address, not a name. */
  allows(address: string): boolean
  /** True only for addresses in the blocks that the operator listed. */
  lists(address: string): boolean
  /** True where the operator listed any. */
  readonly listsAny: boolean
  /**
   * Resolves names for `net.connect`, all or nothing: one address that is not allowed refuses the name, so that no order of
   * trying can lead there. Node does not ask it about addresses; those are judged with `allows`.
   */
  readonly lookup: LookupFunction
}

/** A name or an address leads to a place where callers may not send this server. Where that is stays untold. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
  readonly code = 'ADDRESS_REFUSED'
}

/** Allows public addresses, and those in the blocks that the operator lists (CIDR). */
export function outboundGuard(allowedBlocks: readonly string[]): OutboundGuard {
  const listed = new AddressBlocks(allowedBlocks)
  const allows = (address: string) => listed.has(address) || isPublic(address)
  return {
    allows,
    lists: (address) => listed.has(address),
    listsAny: allowedBlocks.length > 0,
    lookup(name, options, answer) {
      lookup(name, { ...options, all: true }, (error, addresses) => {
        if (error) return answer(error, '')
        if (!addresses.every(({ address }) => allows(address))) return answer(refusal(), '')
        if (options.all) return answer(null, addresses)
        const [first] = addresses
        answer(null, first?.address ?? '', first?.family)
      })
    },
  }
}

/** The error for a place where callers may not send this server. */
export function refusal(): AddressRefused {
  return new AddressRefused('the operator does not let instances connect to that address')
}
