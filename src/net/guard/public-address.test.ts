import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomOf } from '../../../test/kit/random.ts'
import { isPublic, isPublicByBlocks, isPublicByRanges } from './public-address.ts'

/*
 * The oracle: the IANA special-purpose address registries, row by row, with the RFC that each row names. The registries call
 * some rows globally reachable; those lead to the nearest host that serves them, so that they count as special too.
 */

const ipv4Registry = [
  ['0.0.0.0/8', 'this network, RFC 791'],
  ['0.0.0.0/32', 'this host on this network, RFC 1122'],
  ['10.0.0.0/8', 'private use, RFC 1918'],
  ['100.64.0.0/10', 'shared address space, RFC 6598'],
  ['127.0.0.0/8', 'loopback, RFC 1122'],
  ['169.254.0.0/16', 'link local, RFC 3927'],
  ['172.16.0.0/12', 'private use, RFC 1918'],
  ['192.0.0.0/24', 'IETF protocol assignments, RFC 6890'],
  ['192.0.0.0/29', 'IPv4 service continuity prefix, RFC 7335'],
  ['192.0.0.8/32', 'IPv4 dummy address, RFC 7600'],
  ['192.0.0.9/32', 'port control protocol anycast, RFC 7723'],
  ['192.0.0.10/32', 'traversal using relays around NAT anycast, RFC 8155'],
  ['192.0.0.170/32', 'NAT64/DNS64 discovery, RFC 8880'],
  ['192.0.0.171/32', 'NAT64/DNS64 discovery, RFC 8880'],
  ['192.0.2.0/24', 'documentation (TEST-NET-1), RFC 5737'],
  ['192.31.196.0/24', 'AS112-v4, RFC 7535'],
  ['192.52.193.0/24', 'AMT, RFC 7450'],
  ['192.88.99.0/24', 'deprecated (6to4 relay anycast), RFC 7526'],
  ['192.88.99.2/32', '6a44 relay anycast address, RFC 6751'],
  ['192.168.0.0/16', 'private use, RFC 1918'],
  ['192.175.48.0/24', 'direct delegation AS112 service, RFC 7534'],
  ['198.18.0.0/15', 'benchmarking, RFC 2544'],
  ['198.51.100.0/24', 'documentation (TEST-NET-2), RFC 5737'],
  ['203.0.113.0/24', 'documentation (TEST-NET-3), RFC 5737'],
  ['240.0.0.0/4', 'reserved, RFC 1112'],
  ['255.255.255.255/32', 'limited broadcast, RFC 919'],
] as const

const ipv6Registry = [
  ['::1/128', 'loopback address, RFC 4291'],
  ['::/128', 'unspecified address, RFC 4291'],
  ['::ffff:0:0/96', 'IPv4-mapped address, RFC 4291'],
  ['64:ff9b::/96', 'IPv4-IPv6 translation, RFC 6052'],
  ['64:ff9b:1::/48', 'IPv4-IPv6 translation, RFC 8215'],
  ['100::/64', 'discard-only address block, RFC 6666'],
  ['100:0:0:1::/64', 'dummy IPv6 prefix, RFC 9780'],
  ['2001::/23', 'IETF protocol assignments, RFC 2928'],
  ['2001::/32', 'Teredo, RFC 4380'],
  ['2001:1::1/128', 'port control protocol anycast, RFC 7723'],
  ['2001:1::2/128', 'traversal using relays around NAT anycast, RFC 8155'],
  ['2001:1::3/128', 'DNS-SD service registration protocol anycast, RFC 9665'],
  ['2001:2::/48', 'benchmarking, RFC 5180'],
  ['2001:3::/32', 'AMT, RFC 7450'],
  ['2001:4:112::/48', 'AS112-v6, RFC 7535'],
  ['2001:10::/28', 'deprecated (ORCHID), RFC 4843'],
  ['2001:20::/28', 'ORCHIDv2, RFC 7343'],
  ['2001:30::/28', 'drone remote id protocol entity tags, RFC 9374'],
  ['2001:db8::/32', 'documentation, RFC 3849'],
  ['2002::/16', '6to4, RFC 3056'],
  ['2620:4f:8000::/48', 'direct delegation AS112 service, RFC 7534'],
  ['3fff::/20', 'documentation, RFC 9637'],
  ['5f00::/16', 'segment routing (SRv6) SIDs, RFC 9602'],
  ['fc00::/7', 'unique local, RFC 4193'],
  ['fe80::/10', 'link-local unicast, RFC 4291'],
] as const

/** Special ranges of other registries and of one cloud. */
const ipv4Besides = [
  ['224.0.0.0/4', 'multicast, RFC 5771'],
  ['168.63.129.16/32', 'the address at which Azure serves its machines'],
] as const
const ipv6Besides = [
  ['::/96', 'deprecated (IPv4-compatible), RFC 4291'],
  ['::ffff:0:0:0/96', 'IPv4-translated, RFC 2765'],
  ['fec0::/10', 'deprecated (site local), RFC 3879'],
  ['ff00::/8', 'multicast, RFC 4291'],
] as const

/** The first and the last address of a block, as numbers. */
interface Span {
  readonly first: bigint
  readonly last: bigint
}

const ipv4 = {
  bits: 32,
  special: [...ipv4Registry, ...ipv4Besides].map(([block]) => spanOf(block, 32)),
  unicast: spanOf('0.0.0.0/0', 32),
  written: (number: bigint) => [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 0xffn).join('.'),
}

const ipv6 = {
  bits: 128,
  special: [...ipv6Registry, ...ipv6Besides].map(([block]) => spanOf(block, 128)),
  // All that was ever handed out, RFC 4291 section 2.4 and the IANA registry of global unicast assignments.
  unicast: spanOf('2000::/3', 128),
  written: (number: bigint) =>
    [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n]
      .map((shift) => ((number >> shift) & 0xffffn).toString(16))
      .join(':'),
}

for (const family of [ipv4, ipv6]) {
  test(`both judgements of 100,000 IPv${family === ipv4 ? 4 : 6} addresses agree with the registries`, () => {
    const random = randomOf(family.bits)
    const spans = [...family.special, family.unicast]
    const seen = { public: 0, special: 0 }
    for (let round = 0; round < 100_000; round++) {
      const number = generated(spans, family.bits, random)
      const within = ({ first, last }: Span) => number >= first && number <= last
      const expected = within(family.unicast) && !family.special.some(within)
      const address = family.written(number)
      assert.equal(isPublicByBlocks(address), expected, `by blocks: ${address}`)
      assert.equal(isPublicByRanges(address), expected, `by ranges: ${address}`)
      seen[expected ? 'public' : 'special']++
    }
    assert.ok(seen.public > 20_000 && seen.special > 20_000, JSON.stringify(seen))
  })
}

test('what is no address, or an address with a zone, is not public', () => {
  const texts = [
    '',
    'localhost',
    'example.org',
    '127.1',
    '8.8',
    '0x8.8.8.8',
    '134744072',
    '8.8.8.8.',
    '08.8.8.8',
  ]
  const zoned = [
    'fe80::1%eth0',
    '2600::1%eth0',
    '2600::1%',
    '[2600::1]',
    '2600::1/64',
    '8.8.8.8/32',
    ' 8.8.8.8',
  ]
  for (const text of [...texts, ...zoned]) {
    assert.equal(isPublicByBlocks(text), false, `by blocks: ${text}`)
    assert.equal(isPublicByRanges(text), false, `by ranges: ${text}`)
  }
})

test('no IPv4 address becomes public by being written as IPv6', () => {
  const random = randomOf(4)
  for (let round = 0; round < 1_000; round++) {
    const address = ipv4.written(BigInt(Math.floor(random() * 2 ** 32)))
    for (const prefix of ['::', '::ffff:', '::ffff:0:', '64:ff9b::']) {
      assert.equal(isPublic(`${prefix}${address}`), false, `${prefix}${address}`)
    }
  }
})

/** An address from anywhere, from a block, or from the edge of one, where mistakes are made. */
function generated(spans: readonly Span[], bits: number, random: () => number): bigint {
  const all = 1n << BigInt(bits)
  const span = spans[Math.floor(random() * spans.length)]
  const kind = random()
  if (span === undefined || kind < 0.2) return randomBelow(all, random)
  // The block of all that is handed out is drawn half of the time, as public addresses come from nowhere else.
  const from = kind < 0.6 ? (spans.at(-1) ?? span) : span
  if (kind < 0.8) return from.first + randomBelow(from.last - from.first + 1n, random)
  const edge = random() < 0.5 ? span.first : span.last
  return (edge + BigInt(Math.floor(random() * 5) - 2) + all) % all
}

function randomBelow(end: bigint, random: () => number): bigint {
  let number = 0n
  for (let word = 0; word < 5; word++) number = (number << 32n) | BigInt(Math.floor(random() * 2 ** 32))
  return number % end
}

function spanOf(block: string, bits: number): Span {
  const [address = '', prefix] = block.split('/')
  const size = 1n << BigInt(bits - Number(prefix))
  const first = bits === 32 ? ipv4Number(address) : ipv6Number(address)
  return { first, last: first + size - 1n }
}

function ipv4Number(address: string): bigint {
  return address.split('.').reduce((number, part) => (number << 8n) | BigInt(part), 0n)
}

function ipv6Number(address: string): bigint {
  const [before = [], after = []] = address
    .split('::')
    .map((half) => half.split(':').filter((part) => part !== ''))
  const zeros = Array<string>(8 - before.length - after.length).fill('0')
  return [...before, ...zeros, ...after].reduce((number, part) => (number << 16n) | BigInt(`0x${part}`), 0n)
}
