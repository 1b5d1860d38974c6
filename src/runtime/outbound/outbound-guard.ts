import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { AddressBlocks } from './address-blocks.ts'
import { isPublic } from './public-address.ts'

/** Decides whether this server may connect to an address that somebody else chose. */
export interface OutboundGuard {
  /**
   * True for public addresses of other machines, and for those that the operator listed. `address` is an IP address, not a
   * name.
   */
  allows(address: string): boolean
  /** True only for addresses in the blocks that the operator listed. */
  lists(address: string): boolean
  /** True if the operator listed any. */
  readonly listsAny: boolean
  /**
   * Resolves names for `net.connect`, all or nothing: one address that is not allowed refuses the name, so that no order of
   * attempts can reach it. Node does not call it for addresses; check those with `allows`.
   */
  readonly lookup: LookupFunction
}

/** A name or an address that callers may not make this server connect to. The message does not say which. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
  readonly code = 'ADDRESS_REFUSED'
}

const loopback = new AddressBlocks(['127.0.0.0/8', '::1/128'])

/** Allows public addresses, and those in the blocks that the operator lists (CIDR). */
export function outboundGuard(allowedBlocks: readonly string[]): OutboundGuard {
  const listed = new AddressBlocks(allowedBlocks)
  const allows = (address: string) => listed.has(address) || (isPublic(address) && !isOwn(address))
  return {
    allows,
    lists: (address) => listed.has(address),
    listsAny: allowedBlocks.length > 0,
    lookup: lookupWithin(allows, lookup),
  }
}

/**
 * The guard for what a server names: of the addresses that `guard` allows, the public ones, and that of the server itself,
 * which is `peer`, if that is known. A server on this machine may name any loopback address.
 */
export function guardBeside(guard: OutboundGuard, peer: string | undefined): OutboundGuard {
  const own = AddressBlocks.of(peer === undefined ? [] : [peer])
  const isHere = peer !== undefined && loopback.has(peer)
  const isBeside = (address: string) => own.has(address) || (isHere && loopback.has(address))
  const mayBeNamed = (address: string) => isPublic(address) || isBeside(address)
  return {
    ...guard,
    allows: (address) => guard.allows(address) && mayBeNamed(address),
    lookup: lookupWithin(mayBeNamed, guard.lookup),
  }
}

/** The addresses of this machine, even public ones, expose more to it than to the internet. They change, so they are read each time. */
function isOwn(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return AddressBlocks.of(own.map((each) => each.address)).has(address)
}

function lookupWithin(allows: (address: string) => boolean, lookUp: LookupFunction): LookupFunction {
  return (name, options, answer) => {
    lookUp(name, { ...options, all: true }, (error, found) => {
      if (error) return answer(error, '')
      const addresses = Array.isArray(found) ? found : []
      if (!addresses.every(({ address }) => allows(address))) return answer(refusal(), '')
      if (options.all) return answer(null, addresses)
      const [first] = addresses
      answer(null, first?.address ?? '', first?.family)
    })
  }
}

/** The error for an address that callers may not make this server connect to. */
export function refusal(): AddressRefused {
  return new AddressRefused('the operator does not let instances connect to that address')
}
