import { createHash } from 'node:crypto'
import { dropOldest } from './bounds.ts'

/**
 * Result of decrypting. `duplicate`: exactly these bytes were decrypted before. `reused-key`: other bytes, under a key that
 * had been used: the sender went back to an older state of its keys, and its message cannot be read.
 */
export type Deciphered<Content> =
  | { readonly kind: 'read'; readonly content: Content }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'reused-key' }

const maxRemembered = 16_384

/** The newest ciphertexts that a phone has read, to tell a duplicate from a key that was used twice. */
export class ReadCiphertexts {
  readonly #digests = new Set<string>()

  read<Content>(body: Uint8Array, content: Content): Deciphered<Content> {
    this.#digests.add(digest(body))
    dropOldest(this.#digests, maxRemembered)
    return { kind: 'read', content }
  }

  /** Classifies a ciphertext whose key is used up. */
  repeated(body: Uint8Array): { readonly kind: 'duplicate' | 'reused-key' } {
    return { kind: this.#digests.has(digest(body)) ? 'duplicate' : 'reused-key' }
  }
}

const digest = (body: Uint8Array) => createHash('sha256').update(body).digest('latin1')
