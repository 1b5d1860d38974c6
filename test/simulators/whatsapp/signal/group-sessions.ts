import { createCipheriv, createDecipheriv, randomBytes, randomInt } from 'node:crypto'
import { PrivateKey, type PublicKey } from '@signalapp/libsignal-client'
import { senderKeyDistributionCodec, senderKeyMessageCodec } from '../proto/sender-key.ts'
import { dropOldest } from './bounds.ts'
import { publicKey, typedKey } from './curve.ts'
import { type Deciphered, ReadCiphertexts } from './deciphered.ts'
import type { DeviceAddress } from './device-sessions.ts'
import { SenderKeyChain } from './sender-key-chain.ts'

/*
 * Messages to groups: Signal's sender keys in their first form, with a number for each key, which WhatsApp still uses.
 * Signal's library has only the later form, whose fields have other numbers. Source: lib/Signal/Group of Baileys, and
 * signal/group of zapo-js.
 */

/** A message for a group, and the key to it and to all that follow, for each device of the group. */
export interface GroupCiphertext {
  readonly body: Uint8Array
  readonly distribution: Uint8Array
}

interface OwnKey {
  readonly id: number
  readonly chain: SenderKeyChain
  readonly signing: PrivateKey
}

interface SenderKey {
  readonly id: number
  readonly chain: SenderKeyChain
  readonly signing: PublicKey
}

/** Version 3, which is both the one of the message and the newest that its sender knows. */
const version = 0x33
const signatureLength = 64

/** Keys of one sender that are kept, so that messages under the one before can still come. */
const maxKeysOfSender = 5
const maxSenders = 4096

/** The sender keys of one device, and those that others gave to it. */
export class GroupSessions {
  readonly #own = new Map<string, OwnKey>()
  readonly #others = new Map<string, SenderKey[]>()
  readonly #ciphertexts = new ReadCiphertexts()

  encrypt(group: string, plaintext: Uint8Array): GroupCiphertext {
    const { id, chain, signing } = this.#ownKey(group)
    const { iteration, chainKey } = chain
    const key = chain.find(iteration)
    if (!key) throw new Error('The next key of a group is never used up.')
    const cipher = createCipheriv('aes-256-cbc', key.key, key.iv)
    const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
    const signed = versioned(senderKeyMessageCodec.encode({ id, iteration, ciphertext }))
    chain.use(iteration)
    const distribution = { id, iteration, chainKey, signingKey: typedKey(signing.getPublicKey()) }
    return {
      body: Buffer.concat([signed, signing.sign(signed)]),
      distribution: versioned(senderKeyDistributionCodec.encode(distribution)),
    }
  }

  /** Takes the key of a sender. One that is known keeps its state, so that nothing can be read twice. */
  takeDistribution(group: string, from: DeviceAddress, distribution: Uint8Array): void {
    const { id, iteration, chainKey, signingKey } = senderKeyDistributionCodec.decode(content(distribution))
    if (id === undefined || iteration === undefined || chainKey?.length !== 32 || !signingKey)
      throw new Error('The key to the messages of a group is incomplete.')
    const signing = publicKey(signingKey)
    const name = nameOf(group, from)
    const known = this.#others.get(name) ?? []
    if (known.some((key) => key.id === id && key.signing.compare(signing) === 0)) return
    const key = { id, chain: new SenderKeyChain(iteration, chainKey), signing }
    this.#others.set(name, [key, ...known].slice(0, maxKeysOfSender))
    dropOldest(this.#others, maxSenders)
  }

  /** Drops the keys of a sender. */
  forget(group: string, from: DeviceAddress): void {
    this.#others.delete(nameOf(group, from))
  }

  /** Throws if the sender gave no key, the signature is not its own, or the message cannot be decrypted. */
  decrypt(group: string, from: DeviceAddress, body: Uint8Array): Deciphered<Uint8Array> {
    const signed = Buffer.from(body.subarray(0, -signatureLength))
    const { id, iteration, ciphertext } = senderKeyMessageCodec.decode(content(signed))
    if (id === undefined || iteration === undefined || !ciphertext)
      throw new Error('The message to the group is incomplete.')
    const sender = this.#others.get(nameOf(group, from))?.find((key) => key.id === id)
    if (!sender) throw new Error('The sender did not give this phone the key to its messages to the group.')
    if (!sender.signing.verify(signed, Buffer.from(body.subarray(-signatureLength))))
      throw new Error('The message to the group is not signed by its sender.')
    const key = sender.chain.find(iteration)
    if (!key) return this.#ciphertexts.repeated(body)
    const decipher = createDecipheriv('aes-256-cbc', key.key, key.iv)
    const plaintext = Buffer.concat([decipher.update(ciphertext), decipher.final()])
    sender.chain.use(iteration)
    return this.#ciphertexts.read(body, plaintext)
  }

  #ownKey(group: string): OwnKey {
    const known = this.#own.get(group)
    if (known) return known
    const key = {
      id: randomInt(1, 2 ** 31),
      chain: new SenderKeyChain(0, randomBytes(32)),
      signing: PrivateKey.generate(),
    }
    this.#own.set(group, key)
    dropOldest(this.#own, maxSenders)
    return key
  }
}

const nameOf = (group: string, { user, device }: DeviceAddress) => `${group} ${user}.${device}`

const versioned = (bytes: Uint8Array) => Buffer.concat([Uint8Array.of(version), bytes])

function content(bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== version) throw new Error('The message to the group, or its key, has an unknown version.')
  return bytes.subarray(1)
}
