import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto'

/*
 * The objects of the Noise Protocol Framework (revision 34, section 5) for AES-GCM and SHA-256. One thing differs: both
 * sides of WhatsApp leave out empty payloads, which the framework mixes into the hash.
 */

const tagLength = 16
const nothing: Uint8Array = new Uint8Array()

/** A key with the number of its next message. */
export class Cipher {
  readonly #key: Uint8Array
  #number = 0

  /** @param key 32 bytes */
  constructor(key: Uint8Array) {
    this.#key = key
  }

  /** The encrypted text and 16 bytes that prove it, and what is said along with it. */
  encrypt(text: Uint8Array, along = nothing): Uint8Array {
    const cipher = createCipheriv('aes-256-gcm', this.#key, this.#nonce()).setAAD(along)
    return Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()])
  }

  /** Throws if this is not the next message of the other side. */
  decrypt(encrypted: Uint8Array, along = nothing): Uint8Array {
    const end = encrypted.length - tagLength
    if (end < 0) throw new Error('broken frame: it is too short to be encrypted')
    const cipher = createDecipheriv('aes-256-gcm', this.#key, this.#nonce(), { authTagLength: tagLength })
    cipher.setAAD(along).setAuthTag(encrypted.subarray(end))
    try {
      return Buffer.concat([cipher.update(encrypted.subarray(0, end)), cipher.final()])
    } catch (cause) {
      throw new Error('broken frame: it can not be decrypted', { cause })
    }
  }

  /** 8 bytes of zero, and the number. WhatsApp's counters end at 32 bits. */
  #nonce(): Uint8Array {
    const nonce = Buffer.alloc(12)
    nonce.writeUInt32BE(this.#number, 8)
    this.#number += 1
    return nonce
  }
}

/** Common state of both sides of a handshake: a hash of all that was said, and the keys agreed on. */
export class Transcript {
  #hash: Uint8Array
  #chain: Uint8Array
  #cipher: Cipher

  /**
   * @param protocol such as `Noise_XX_25519_AESGCM_SHA256`
   * @param prologue what both sides know before they begin
   */
  constructor(protocol: string, prologue: Uint8Array) {
    const name = Buffer.from(protocol)
    this.#chain = name.length > 32 ? sha256(name) : Buffer.concat([name], 32)
    this.#cipher = new Cipher(this.#chain)
    this.#hash = this.#chain
    this.mix(prologue)
  }

  /** Takes in what was said in the open. */
  mix(said: Uint8Array): void {
    this.#hash = sha256(this.#hash, said)
  }

  /** Takes in a secret that both sides have agreed on. */
  agree(secret: Uint8Array): void {
    const [chain, key] = this.#expand(secret)
    this.#chain = chain
    this.#cipher = new Cipher(key)
  }

  encrypt(text: Uint8Array): Uint8Array {
    const encrypted = this.#cipher.encrypt(text, this.#hash)
    this.mix(encrypted)
    return encrypted
  }

  decrypt(encrypted: Uint8Array): Uint8Array {
    const text = this.#cipher.decrypt(encrypted, this.#hash)
    this.mix(encrypted)
    return text
  }

  /** Returns the ciphers that the two sides use from now on: that of the initiator, and that of the responder. */
  split(): [initiator: Cipher, responder: Cipher] {
    const [initiator, responder] = this.#expand(nothing)
    return [new Cipher(initiator), new Cipher(responder)]
  }

  #expand(secret: Uint8Array): [Uint8Array, Uint8Array] {
    const keys = new Uint8Array(hkdfSync('sha256', secret, this.#chain, nothing, 64))
    return [keys.subarray(0, 32), keys.subarray(32)]
  }
}

function sha256(...parts: Uint8Array[]): Uint8Array {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
