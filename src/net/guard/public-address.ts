import ipaddr from 'ipaddr.js'
import { blockListOf, familyOf } from '../../runtime/address-blocks.ts'

/**
 * True for an address on the public internet. Two checks that share neither a list nor a library must agree; if they
 * differ, one of them has a gap, and the address counts as not public.
 */
export function isPublic(address: string): boolean {
  return isPublicByBlocks(address) && isPublicByRanges(address)
}

/**
 * IPv4 that is not the public internet: the IANA special-purpose registry, multicast, the reserved block, and the address at
 * which one large cloud serves its machines.
 */
const specialIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '168.63.129.16/32',
]

/** Only this part of IPv6 is assigned as public; within it, the special blocks of the IANA registry. */
const globalIpv6 = '2000::/3'
const specialIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '2620:4f:8000::/48']

const special = blockListOf([...specialIpv4, ...specialIpv6])
const global = blockListOf([globalIpv6])

/** The first check: lists of blocks, matched by Node. */
export function isPublicByBlocks(address: string): boolean {
  const family = familyOf(address)
  if (family === undefined) return false
  return !special.check(address, family) && (family === 'ipv4' || global.check(address, family))
}

/** The address at which one large cloud serves its machines; to ipaddr.js it is an address like any other. */
const wireServer = [168, 63, 129, 16]

/**
 * The second check: what ipaddr.js calls `unicast`. It uses that for everything that it has no other name for, so of IPv6
 * only addresses that begin with the bits 001 count, which is all that was ever assigned (RFC 4291 section 2.4).
 */
export function isPublicByRanges(address: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) {
    const parsed = ipaddr.IPv4.parse(address)
    return parsed.range() === 'unicast' && !parsed.octets.every((octet, at) => octet === wireServer[at])
  }
  if (!ipaddr.IPv6.isValid(address)) return false
  const parsed = ipaddr.IPv6.parse(address)
  const handedOut = (parsed.parts[0] ?? 0) >> 13 === 0b001
  return handedOut && parsed.zoneId === undefined && parsed.range() === 'unicast'
}
