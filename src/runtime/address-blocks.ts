import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The schema of an address: of one family, without a zone, which would name a link of one machine. */
export function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const family = isIP(address)
  if (family === 0 || address.includes('%')) return undefined
  return family === 4 ? 'ipv4' : 'ipv6'
}

/**
 * Blocks of addresses (CIDR), matched by two libraries: an address is in them if both say so. Two, because every such library
 * has had gaps, and a gap only matters if both have it.
 */
export class AddressBlocks {
  readonly #list: BlockList
  readonly #ranges: readonly [ipaddr.IPv4 | ipaddr.IPv6, number][]

  /** Throws a sentence that completes "… must be" for a text that is not a block. */
  constructor(blocks: readonly string[]) {
    this.#list = blockListOf(blocks)
    this.#ranges = blocks.map((block) => ipaddr.parseCIDR(block))
  }

  /** Just these addresses. */
  static of(addresses: readonly string[]): AddressBlocks {
    return new AddressBlocks(
      addresses.map((address) => `${address}/${familyOf(address) === 'ipv4' ? 32 : 128}`),
    )
  }

  /** False if the text is not an address. An IPv4 address written as IPv6 is in no IPv4 block. */
  has(address: string): boolean {
    const family = familyOf(address)
    if (family === undefined || !this.#list.check(address, family)) return false
    const parsed = ipaddr.parse(address)
    return this.#ranges.some(
      ([start, prefix]) => parsed.kind() === start.kind() && parsed.match(start, prefix),
    )
  }
}

/** Throws a sentence that completes "… must be" for a text that is not a block of addresses. */
export function checkBlock(block: string): void {
  blockListOf([block])
}

/** The blocks as Node's own list. Throws as `checkBlock` does. */
export function blockListOf(blocks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const block of blocks) {
    const [address = '', prefix = '', rest] = block.split('/')
    const family = familyOf(address)
    const longest = family === 'ipv4' ? 32 : 128
    if (family === undefined || rest !== undefined || !/^\d{1,3}$/.test(prefix) || Number(prefix) > longest) {
      throw new Error('address blocks such as 10.0.0.0/8 or fd00::/8, separated by commas')
    }
    list.addSubnet(address, Number(prefix), family)
  }
  return list
}
