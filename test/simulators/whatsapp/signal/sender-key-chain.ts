import { createHmac, hkdfSync } from 'node:crypto'
import { dropOldest } from './bounds.ts'

/** Steps that a chain may be wound on for one message, and keys that are kept for messages that come late. */
const farthest = 2000

/** The key of one message: AES-256-CBC. */
export interface GroupMessageKey {
  readonly iv: Uint8Array
  readonly key: Uint8Array
}

/** The keys that one device uses for one message to a group after the other; each can be taken once. */
export class SenderKeyChain {
  readonly #skipped = new Map<number, GroupMessageKey>()
  #iteration: number
  #chainKey: Uint8Array

  constructor(iteration: number, chainKey: Uint8Array) {
    this.#iteration = iteration
    this.#chainKey = chainKey
  }

  /** The number of the next message. */
  get iteration(): number {
    return this.#iteration
  }

  /** Root of all keys from the next one on, 32 bytes. */
  get chainKey(): Uint8Array {
    return this.#chainKey
  }

  /** The key of a message; undefined if it was used. Call `use` when the message was read with it. */
  find(iteration: number): GroupMessageKey | undefined {
    if (iteration < this.#iteration) return this.#skipped.get(iteration)
    if (iteration - this.#iteration > farthest)
      throw new Error('The message to the group is too far ahead of those that were read.')
    let chainKey = this.#chainKey
    for (let passed = this.#iteration; passed < iteration; passed++) chainKey = following(chainKey)
    return messageKey(chainKey)
  }

  /** Gives up the key of this message, and keeps those of the messages that it overtook. */
  use(iteration: number): void {
    this.#skipped.delete(iteration)
    for (; this.#iteration <= iteration; this.#iteration++) {
      if (this.#iteration < iteration) this.#skipped.set(this.#iteration, messageKey(this.#chainKey))
      this.#chainKey = following(this.#chainKey)
    }
    dropOldest(this.#skipped, farthest)
  }
}

const hmac = (key: Uint8Array, label: number) =>
  createHmac('sha256', key).update(Uint8Array.of(label)).digest()

const following = (chainKey: Uint8Array) => hmac(chainKey, 2)

function messageKey(chainKey: Uint8Array): GroupMessageKey {
  const derived = Buffer.from(hkdfSync('sha256', hmac(chainKey, 1), new Uint8Array(32), 'WhisperGroup', 48))
  return { iv: derived.subarray(0, 16), key: derived.subarray(16) }
}
