import { hash, randomBytes } from 'node:crypto'
import { newUuid7 } from './uuid7.ts'

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
