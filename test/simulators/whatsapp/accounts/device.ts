import type { Bundle } from '../signal/phone.ts'
import type { Node } from '../wire/node.ts'
import { Mailbox } from './mailbox.ts'

/** The connection of a linked client. */
export interface Line {
  /** True as soon as the client wants what waits for it. */
  readonly isActive: boolean
  /** True while the client says that its person is there. */
  readonly isAvailable: boolean
  send(node: Node): void
  /** Sends the bytes of a node as they stand in a frame. */
  sendBytes(bytes: Uint8Array): void
  /** Ends the stream when a message is not acked within so many milliseconds. */
  awaitAck(id: string, within: number): void
  /** Tells the client why, and closes the stream. */
  endWith(reason: Node): void
}

/** The keys that a client shows when it registers. */
export interface ClientKeys {
  /** Its Noise key, by which it logs in. */
  readonly noise: Uint8Array
  /** 4 bytes. */
  readonly registration: Uint8Array
  readonly identity: Uint8Array
  readonly signed: SignedKey
}

export interface SignedKey {
  /** 3 bytes. */
  readonly id: Uint8Array
  readonly key: Uint8Array
  readonly signature: Uint8Array
}

export interface OneTimeKey {
  /** 3 bytes. */
  readonly id: Uint8Array
  readonly key: Uint8Array
}

const maxOneTimeKeys = 5000

/** A linked client of an account: its keys and what waits for it. */
export class Device {
  readonly number: number
  readonly keyIndex: number
  readonly keys: ClientKeys
  readonly mailbox = new Mailbox()
  signed: SignedKey
  /** Its connection, if it has one. */
  line: Line | undefined
  logins = 0
  readonly #oneTime = new Map<number, OneTimeKey>()

  constructor(number: number, keyIndex: number, keys: ClientKeys) {
    this.number = number
    this.keyIndex = keyIndex
    this.keys = keys
    this.signed = keys.signed
  }

  get keysLeft(): number {
    return this.#oneTime.size
  }

  oneTimeKeys(): OneTimeKey[] {
    return [...this.#oneTime.values()]
  }

  addKeys(keys: readonly OneTimeKey[]): void {
    for (const key of keys) {
      if (this.#oneTime.size >= maxOneTimeKeys) return
      this.#oneTime.set(asNumber(key.id), key)
    }
  }

  /** Hands out the oldest one-time key, and never again. */
  takeKey(): OneTimeKey | undefined {
    for (const [id, key] of this.#oneTime) {
      this.#oneTime.delete(id)
      return key
    }
    return undefined
  }

  /** Returns the keys that a phone needs to begin a session. */
  takeBundle(): Bundle {
    const oneTime = this.takeKey()
    return {
      registrationId: asNumber(this.keys.registration),
      identity: this.keys.identity,
      signedPreKey: {
        id: asNumber(this.signed.id),
        key: this.signed.key,
        signature: this.signed.signature,
      },
      ...(oneTime && { preKey: { id: asNumber(oneTime.id), key: oneTime.key } }),
    }
  }
}

/** The number that bytes are, most significant first. */
export function asNumber(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0)
}

/** A number as so many bytes, most significant first. */
export function asBytes(number: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  bytes.writeUIntBE(number, 0, length)
  return bytes
}
