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

  /** 32 bytes that nobody can guess without the master key, and that are always the same for a name. */
  token(name: string): Buffer {
    return createHmac('sha256', this.#tokenKey).update(name).digest()
  }

  /** A byte for the version, 12 of nonce, 16 of tag, then the ciphertext. */
  close(value: unknown, place: SealedPlace): Uint8Array {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(additional(place))
    const ciphertext = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()])
    return Buffer.concat([Uint8Array.of(version), nonce, cipher.getAuthTag(), ciphertext])
  }

  /** Opens what was sealed with this key for this row; throws SealBroken for anything else. */
  open(sealed: Uint8Array, place: SealedPlace): unknown {
    const bytes = Buffer.from(sealed)
    if (bytes[0] !== version) throw new SealBroken('the sealed value has an unknown version')
    const body = 1 + nonceBytes + tagBytes
    // Otherwise Node would accept a shorter tag, which is easier to guess.
    if (bytes.length < body) throw new SealBroken('the sealed value was cut')
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(1, 1 + nonceBytes))
      .setAAD(additional(place))
      .setAuthTag(bytes.subarray(1 + nonceBytes, body))
    try {
      const plain = Buffer.concat([decipher.update(bytes.subarray(body)), decipher.final()])
      return JSON.parse(plain.toString('utf8'))
    } catch (error) {
      throw new SealBroken(`the sealed value in ${place.table}.${place.column} does not open`, {
        cause: error,
      })
    }
  }
}

function additional({ table, column, row }: SealedPlace): Buffer {
  return Buffer.from(JSON.stringify([version, table, column, row]))
}
