import { createPublicKey, verify } from 'node:crypto'
import { Curve } from 'baileys'

const prime = 2n ** 255n - 19n

/** The bytes of a key on Curve25519, and of a signature. */
const keyBytes = 32
const signatureBytes = 64

/**
 * Has the library verify signatures. Its own function says yes to every one: it does not look at what its cryptography answers. So nothing
 * above TLS would prove that a server is WhatsApp, or that a phone vouches for the link. This one is also fifty times as fast.
 */
export function verifySignatures(): void {
  Curve.verify = (publicKey, message, signature) => isSigned(publicKey, message, signature)
}

/**
 * True if a message is signed with the key (XEdDSA, as in libsignal-protocol: the sign of the Edwards point is the highest
 * bit of the signature). The key has 32 bytes, or 33 with its type in front.
 */
export function isSigned(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const key = publicKey.length === keyBytes + 1 ? publicKey.subarray(1) : publicKey
  if (key.length !== keyBytes || signature.length !== signatureBytes) return false
  const plain = Uint8Array.from(signature)
  const sign = (plain[signatureBytes - 1] as number) & 0x80
  plain[signatureBytes - 1] = (plain[signatureBytes - 1] as number) & 0x7f
  const x = edwardsOf(key, sign)
  try {
    const ed25519 = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    return verify(null, message, ed25519, plain)
  } catch {
    return false
  }
}

/** The same point on the Edwards curve, in base64url: y = (u - 1) / (u + 1) (RFC 7748 section 4.1). */
function edwardsOf(montgomery: Uint8Array, sign: number): string {
  const u = BigInt(`0x${Buffer.from(montgomery).reverse().toString('hex')}`) & (2n ** 255n - 1n)
  const y = ((u - 1n + prime) * inverse((u + 1n) % prime)) % prime
  const bytes = Buffer.from(y.toString(16).padStart(keyBytes * 2, '0'), 'hex').reverse()
  bytes[keyBytes - 1] = (bytes[keyBytes - 1] as number) | sign
  return bytes.toString('base64url')
}

/** By Fermat: the number to the power of the prime less two. */
function inverse(number: bigint): bigint {
  let result = 1n
  let power = number
  for (let rest = prime - 2n; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * power) % prime
    power = (power * power) % prime
  }
  return result
}
