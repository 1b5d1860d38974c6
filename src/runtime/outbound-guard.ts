import { lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** Judges whether this server may connect to an address that somebody else chose. */
export interface OutboundGuard {
  /** `address` is an IP address, not a name. */
  allows(address: string): boolean
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

/** Only this part of IPv6 is handed out as public; within it, the special blocks of the IANA registry. */
const globalIpv6 = '2000::/3'
const specialIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '2620:4f:8000::/48']

const special = blockListOf([...specialIpv4, ...specialIpv6])
const global = blockListOf([globalIpv6])

/** Allows public addresses, and those in the blocks that the operator lists (CIDR). */
export function outboundGuard(allowedBlocks: readonly string[]): OutboundGuard {
  const allowed = blockListOf(allowedBlocks)
  const allows = (address: string) => listed(allowed, address) || isPublic(address)
  return {
    allows,
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

/** True for an address on the public internet. */
export function isPublic(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !listed(special, address)
  // A zone (`%eth0`) names a link of this machine.
  return family === 6 && !address.includes('%') && listed(global, address) && !listed(special, address)
}

/** Throws a sentence that completes "… must be" for a text that is not a block of addresses. */
export function checkBlock(block: string): void {
  blockListOf([block])
}

function blockListOf(blocks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const block of blocks) {
    const [address = '', prefix = ''] = block.split('/')
    const family = isIP(address)
    const longest = family === 4 ? 32 : 128
    if (family === 0 || !/^\d{1,3}$/.test(prefix) || Number(prefix) > longest) {
      throw new Error('blocks of addresses such as 10.0.0.0/8 or fd00::/8, separated by commas')
    }
    list.addSubnet(address, Number(prefix), family === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

function listed(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
