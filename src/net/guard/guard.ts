import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { AddressBlocks } from '../../runtime/address-blocks.ts'
import type { Destination } from './destination.ts'
import { isPublic } from './public-address.ts'

/** Decides if this server may connect to an address that another party chose. */
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
  }
}

/**
 * False if the URL itself shows that connecting is not allowed: by its address, or because it needs a listed address and
 * none is listed. The addresses of a name are judged at each attempt.
 */
export function mayLeadThere(
  guard: OutboundGuard,
  { host, needsListing }: Pick<Destination, 'host' | 'needsListing'>,
): boolean {
  const isName = isIP(host) === 0
  if (needsListing) return isName ? guard.listsAny : guard.lists(host)
  return isName || guard.allows(host)
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
  }
}

/** The addresses of this machine, even public ones, expose more to it than to the internet. They change, so they are read each time. */
function isOwn(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return AddressBlocks.of(own.map((each) => each.address)).has(address)
}
