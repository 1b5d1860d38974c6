import { createPrivateKey, createPublicKey, diffieHellman, generateKeyPairSync } from 'node:crypto'

/** Keys of X25519, 32 bytes each. */
export interface KeyPair {
  readonly private: Uint8Array
  readonly public: Uint8Array
}

/** Bytes before the raw key in the encodings that Node reads (RFC 8410). */
const privatePrefix = Buffer.from('302e020100300506032b656e04220420', 'hex')
const publicPrefix = Buffer.from('302a300506032b656e032100', 'hex')

export function makeKeyPair(): KeyPair {
  const pair = generateKeyPairSync('x25519', {
    privateKeyEncoding: { format: 'der', type: 'pkcs8' },
    publicKeyEncoding: { format: 'der', type: 'spki' },
  })
  return {
    private: pair.privateKey.subarray(privatePrefix.length),
    public: pair.publicKey.subarray(publicPrefix.length),
  }
}

/** The secret that the two share, 32 bytes. Throws for a key that would make it predictable. */
export function agree(own: KeyPair, other: Uint8Array): Uint8Array {
  if (other.length !== 32) throw new Error(`a key of X25519 has 32 bytes, and not ${other.length}`)
  const privateKey = Buffer.concat([privatePrefix, own.private])
  const publicKey = Buffer.concat([publicPrefix, other])
  return diffieHellman({
    privateKey: createPrivateKey({ key: privateKey, format: 'der', type: 'pkcs8' }),
    publicKey: createPublicKey({ key: publicKey, format: 'der', type: 'spki' }),
  })
}
