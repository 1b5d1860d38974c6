import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { base32 } from '../ids.ts'

/** Kind of token, by which secret scanners know it: `phk` opens an organization, `phl` a link page. */
export type TokenPrefix = 'phk' | 'phl'

/*
 * A token is its prefix, an underscore, 52 characters of base32 (256 random bits) and 7 of checksum (CRC-32 of the 52), so that a
 * mistyped or truncated one is recognized before the store is asked, and secret scanners can be sure of a find.
 */
const form = /^(ph[a-z])_([0-9a-hjkmnp-tv-z]{52})([0-9a-hjkmnp-tv-z]{7})$/

/** Makes a new token. It is shown once; only its digest is stored. */
export function newToken(prefix: TokenPrefix): string {
  const secret = base32(randomBytes(32))
  return `${prefix}_${secret}${checksum(secret)}`
}

/** True when the text has the form of such a token and its checksum agrees. */
export function isToken(prefix: TokenPrefix, text: string): boolean {
  const [, found, secret = '', sum] = form.exec(text) ?? []
  return found === prefix && checksum(secret) === sum
}

/** SHA-256 in hexadecimal. A token holds 256 random bits, so stretching it would cost time and add nothing. */
export function digestOf(token: string): string {
  return hash('sha256', token, 'hex')
}

function checksum(secret: string): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(secret))
  return base32(bytes)
}
