import { digestOf, isToken, newToken } from '../runtime/secrets/token.ts'

/** Makes a new key. It is shown once; only `digest` and `hint` are stored. */
export function newApiKey(): { key: string; digest: string; hint: string } {
  return knownApiKey(newToken('phk'))
}

/** Returns a key with the digest and the hint that are stored of it. */
export function knownApiKey(key: string): { key: string; digest: string; hint: string } {
  return { key, digest: digestOf(key), hint: key.slice(4, 10) }
}

/** True when the text has the form of a key and its checksum agrees. */
export function isWellFormed(text: string): boolean {
  return isToken('phk', text)
}
