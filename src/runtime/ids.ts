import { hash, randomBytes, randomFillSync } from 'node:crypto'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** Kind of thing that an id names; the prefix makes an id found in a log or a ticket speak for itself. */
export type IdPrefix =
  | 'aud'
  | 'org'
  | 'key'
  | 'inst'
  | 'msg'
  | 'med'
  | 'req'
  | 'evt'
  | 'wh'
  | 'dlv'
  | 'bat'
  | 'node'
  | 'cb'
  | 'lnk'
  | 'ask'

/** A new id: prefix, underscore, and a UUIDv7 (RFC 9562) in 26 characters of Crockford's base32. Ids of one process ascend. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${base32(newUuid7())}`
}

/**
 * The id of something that has a time and a number of its own in its origin: always the same for the same values. Those of one
 * origin ascend. 48 bits of milliseconds, the last 32 bits of the number, and 48 bits of a digest of the origin.
 */
export function derivedId(prefix: IdPrefix, at: number, number: number, origin: string): string {
  const bytes = Buffer.from(hash('sha256', origin, 'buffer').subarray(0, 16))
  bytes.writeUIntBE(at, 0, 6)
  bytes.writeUInt32BE(number % 2 ** 32, 6)
  return `${prefix}_${base32(bytes)}`
}

/** The id before all those that were made at a moment or later, and after all those made earlier; milliseconds since the epoch. */
export function firstIdAt(prefix: IdPrefix, at: number): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(Math.min(Math.max(at, 0), 2 ** 48 - 1), 0, 6)
  return `${prefix}_${base32(bytes)}`
}

/** The pattern of an id with this prefix, for schemas. */
export function idPattern(prefix: IdPrefix): string {
  return `^${prefix}_[${alphabet}]{26}$`
}

/** The pattern of the names that people give to instances and organizations, for schemas. */
export const slugPattern = '^[a-z0-9][a-z0-9_-]{0,62}$'

/** Random bytes in base32: five bits a character, so 32 bytes take 52 characters. */
export function randomBase32(bytes: number): string {
  return base32(randomBytes(bytes))
}

/** Crockford's base32 in lower case, most significant bit first; the last character is padded with zero bits. */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let buffer = 0
  let bits = 0
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0x1fff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet[(buffer >> bits) & 31]
    }
  }
  return bits > 0 ? text + alphabet[(buffer << (5 - bits)) & 31] : text
}

/** The bytes of a base32 text, as `base32` wrote it; of any other text, some bytes. */
export function bytesOfBase32(text: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8))
  let buffer = 0
  let bits = 0
  let length = 0
  for (const character of text) {
    buffer = ((buffer << 5) | alphabet.indexOf(character)) & 0x1fff
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes[length++] = buffer >> bits
    }
  }
  return bytes
}

/*
 * UUIDv7 as RFC 9562 section 5.7 lays it out, with the counter of section 6.2 (method 1): 48 bits of milliseconds, a counter
 * of 32 bits that begins at random in each millisecond, and 42 random bits. Random bytes are drawn in batches, because a
 * draw of sixteen bytes costs more than all the rest of accepting a message on its thread.
 */

const pool = Buffer.alloc(8192)
let drawn = pool.length

let lastMs = 0
let counter = 0

/** The 16 bytes of a new UUIDv7. Those of one process ascend, also within a millisecond and when the clock is set back. */
export function newUuid7(now: number = Date.now()): Uint8Array {
  const random = draw(10)
  if (now > lastMs) {
    lastMs = now
    // The highest bit starts at zero, which leaves two thousand million ids for each millisecond.
    counter = pool.readUInt32BE(random) >>> 1
  } else if (++counter > 0xffffffff) {
    lastMs++
    counter = 0
  }
  const bytes = new Uint8Array(16)
  bytes[0] = lastMs / 2 ** 40
  bytes[1] = lastMs / 2 ** 32
  bytes[2] = lastMs / 2 ** 24
  bytes[3] = lastMs / 2 ** 16
  bytes[4] = lastMs / 2 ** 8
  bytes[5] = lastMs
  bytes[6] = 0x70 | (counter >>> 28)
  bytes[7] = counter >>> 20
  bytes[8] = 0x80 | ((counter >>> 14) & 0x3f)
  bytes[9] = counter >>> 6
  bytes[10] = ((counter & 0x3f) << 2) | ((pool[random + 4] as number) & 3)
  for (let index = 11; index < 16; index++) bytes[index] = pool[random + index - 6] as number
  return bytes
}

/** The offset of that many unused random bytes in the pool. */
function draw(count: number): number {
  if (drawn + count > pool.length) {
    randomFillSync(pool)
    drawn = 0
  }
  drawn += count
  return drawn - count
}
