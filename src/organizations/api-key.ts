import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { base32 } from '../runtime/ids.ts'

/*
 * A key is `phk_`, 52 characters of base32 (256 random bits) and 7 of checksum (CRC-32 of the 52), so that a mistyped or
 * truncated key is recognized before the store is asked, and secret scanners can be sure of a find.
 */
const form = /^phk_([0-9a-hjkmnp-tv-z]{52})([0-9a-hjkmnp-tv-z]{7})$/

/** Makes a new key. It is shown once; only `digest` and `hint` are stored. */
export function newApiKey(): { key: string; digest: string; hint: string } {
  const secret = base32(randomBytes(32))
  return knownApiKey(`phk_${secret}${checksum(secret)}`)
}

/** What is stored of a key. */
export function knownApiKey(key: string): { key: string; digest: string; hint: string } {
  return { key, digest: digestOf(key), hint: key.slice(4, 10) }
}

/** True when the text has the form of a key and its checksum agrees. */
export function isWellFormed(text: string): boolean {
  const match = form.exec(text)
  return match !== null && checksum(match[1] as string) === match[2]
}

/** SHA-256 in hexadecimal. A key holds 256 random bits, so stretching it would cost time and add nothing. */
export function digestOf(key: string): string {
  return hash('sha256', key, 'hex')
}

function checksum(secret: string): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(secret))
  return base32(bytes)
}
