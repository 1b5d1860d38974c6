import { PrivateKey } from '@signalapp/libsignal-client'
import { certChains, certDetails, type SignedDetails } from '../proto/handshake.ts'
import { type KeyPair, makeKeyPair } from './key-pair.ts'

/** Flaws of a chain; strict clients refuse each of them. */
export type ChainFlaw = 'wrong_signature' | 'expired' | 'other_key'

/** Identity of the server: its key, and the chain from the root to it. */
export interface NoiseCertificate {
  /** Root that clients have to trust, 32 bytes. */
  readonly rootPublic: Uint8Array
  /** The serial that the intermediate certificate names as its issuer; of the network's root, as of this one, it is 0. */
  readonly serial: number
  /** The bytes of a CertChain. */
  readonly chain: Uint8Array
  /** The server's own key pair, whose public key is that of the leaf. */
  readonly keys: KeyPair
}

const rootSerial = 0
const intermediateSerial = 1
const leafSerial = 2
const day = 86_400

/**
 * Issues a chain by a new root, valid from yesterday on for a year. With a flaw it has a foreign signature, was valid until
 * an hour ago, or vouches for the key of another server.
 */
export function issueChain(flaw?: ChainFlaw): NoiseCertificate {
  const [root, intermediate, stranger] = [1, 2, 3].map(() => PrivateKey.generate())
  if (!root || !intermediate || !stranger) throw new Error('three keys are three')
  const keys = makeKeyPair()
  const now = Math.floor(Date.now() / 1000)
  const validity = { notBefore: now - day, notAfter: flaw === 'expired' ? now - 3600 : now + 365 * day }
  const leaf = certDetails.encode({
    serial: leafSerial,
    issuerSerial: intermediateSerial,
    key: flaw === 'other_key' ? makeKeyPair().public : keys.public,
    ...validity,
  })
  const middle = certDetails.encode({
    serial: intermediateSerial,
    issuerSerial: rootSerial,
    key: publicOf(intermediate),
    ...validity,
  })
  const chain = certChains.encode({
    leaf: signed(leaf, flaw === 'wrong_signature' ? stranger : intermediate),
    intermediate: signed(middle, root),
  })
  return { rootPublic: publicOf(root), serial: rootSerial, chain, keys }
}

function signed(details: Uint8Array, by: PrivateKey): SignedDetails {
  return { details, signature: by.sign(Buffer.from(details)) }
}

/** Without the byte that names the curve. */
function publicOf(key: PrivateKey): Uint8Array {
  return key.getPublicKey().getPublicKeyBytes()
}
