import { PublicKey } from '@signalapp/libsignal-client'

/** Byte that Signal writes before each public key of Curve25519. */
const keyType = Buffer.from([5])

/** A public key from its 32 bytes, with or without the type before them. Throws if it is neither. */
export function publicKey(bytes: Uint8Array): PublicKey {
  if (bytes.length === 33) return PublicKey.deserialize(Buffer.from(bytes))
  if (bytes.length === 32) return PublicKey.deserialize(Buffer.concat([keyType, bytes]))
  throw new Error(`A public key has 32 bytes, and not ${bytes.length}.`)
}

/** The 32 bytes of a public key, without the type. */
export function rawKey(key: PublicKey): Buffer {
  return key.getPublicKeyBytes()
}

/** The 33 bytes of a public key from its 32: what Signal signs of a signed pre-key. */
export function typedKey(key: PublicKey): Buffer {
  return key.serialize()
}
