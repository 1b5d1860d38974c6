import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** The column and row that a sealed value belongs to. A value that was moved elsewhere does not open. */
export interface SealedPlace {
  readonly table: string
  readonly column: string
  readonly row: string
}

/** The bytes were sealed with another key or for another row, or were altered. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken'
}

const version = 1
const nonceBytes = 12
const tagBytes = 16
const body = 1 + nonceBytes + tagBytes

/** Seals secrets with AES-256-GCM under the master key, bound to the row in which they are kept. */
export class Seal {
  readonly #key: Uint8Array
  readonly #fingerprintKey: Uint8Array
  readonly #tokenKey: Uint8Array

  /** `key` has 32 bytes. */
  constructor(key: Uint8Array) {
    if (key.length !== 32) throw new Error('the master key must have 32 bytes')
    this.#key = key
    this.#fingerprintKey = new Uint8Array(hkdfSync('sha256', key, '', 'fingerprint', 32))
    this.#tokenKey = new Uint8Array(hkdfSync('sha256', key, '', 'token', 32))
  }

  /**
   * Recognizes a text that must not be stored: HMAC-SHA256, in hexadecimal, with a separate key (RFC 5869). A plain digest
   * of a text with a weak password in it could be guessed from a copy of the store.
   */
  fingerprint(text: string): string {
    return createHmac('sha256', this.#fingerprintKey).update(text).digest('hex')
  }

  /** Returns 32 bytes that cannot be guessed without the master key, and that are always the same for a name. */
  token(name: string): Buffer {
    return createHmac('sha256', this.#tokenKey).update(name).digest()
  }

  /** Seals the bytes of one party, such as an instance, under a key of its own. */
  ofParty(party: string): ByteSeal {
    return new ByteSeal(new Uint8Array(hkdfSync('sha256', this.#key, '', `party ${party}`, 32)))
  }

  close(value: unknown, place: SealedPlace): Uint8Array {
    return encrypt(this.#key, Buffer.from(JSON.stringify(value)), place)
  }

  /** Opens what was sealed with this key for this row; throws SealBroken for anything else. */
  open(sealed: Uint8Array, place: SealedPlace): unknown {
    return JSON.parse(Buffer.from(decrypt(this.#key, sealed, place)).toString('utf8'))
  }
}

/**
 * Seals bytes, and is cheap enough for values that change with each message. A key may seal 2^32 values with random nonces (NIST SP
 * 800-38D, 8.3): so many could come together under the master key in a few years, but not for one party.
 */
export class ByteSeal {
  readonly #key: Uint8Array

  constructor(key: Uint8Array) {
    this.#key = key
  }

  close(value: Uint8Array, place: SealedPlace): Uint8Array {
    return encrypt(this.#key, value, place)
  }

  /** Opens what was sealed for this party and row; throws SealBroken for anything else. */
  open(sealed: Uint8Array, place: SealedPlace): Uint8Array {
    return decrypt(this.#key, sealed, place)
  }
}

/** A byte for the version, 12 of nonce, 16 of tag, then the ciphertext. */
function encrypt(key: Uint8Array, plain: Uint8Array, place: SealedPlace): Uint8Array {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(additional(place))
  const ciphertext = cipher.update(plain)
  cipher.final()
  // Not from the pool of buffers: a buffer that crosses to a thread takes along all the memory that it is a part of.
  const sealed = new Uint8Array(body + ciphertext.length)
  sealed[0] = version
  sealed.set(nonce, 1)
  sealed.set(cipher.getAuthTag(), 1 + nonceBytes)
  sealed.set(ciphertext, body)
  return sealed
}

function decrypt(key: Uint8Array, sealed: Uint8Array, place: SealedPlace): Uint8Array {
  if (sealed[0] !== version) throw new SealBroken('the sealed value has an unknown version')
  // Otherwise Node would accept a shorter tag, which is easier to guess.
  if (sealed.length < body) throw new SealBroken('the sealed value was cut')
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 1 + nonceBytes))
    .setAAD(additional(place))
    .setAuthTag(sealed.subarray(1 + nonceBytes, body))
  try {
    const plain = decipher.update(sealed.subarray(body))
    decipher.final()
    return plain
  } catch (error) {
    throw new SealBroken(`the sealed value in ${place.table}.${place.column} does not open`, { cause: error })
  }
}

function additional({ table, column, row }: SealedPlace): Buffer {
  return Buffer.from(JSON.stringify([version, table, column, row]))
}
