import { randomInt } from 'node:crypto'
import {
  CiphertextMessageType,
  ErrorCode,
  LibSignalErrorBase,
  PreKeyBundle,
  PreKeySignalMessage,
  PrivateKey,
  ProtocolAddress,
  processPreKeyBundle,
  SignalMessage,
  SignedPreKeyRecord,
  signalDecrypt,
  signalDecryptPreKey,
  signalEncrypt,
} from '@signalapp/libsignal-client'
import { publicKey, rawKey, typedKey } from './curve.ts'
import { type Deciphered, ReadCiphertexts } from './deciphered.ts'
import { Identities, PreKeys, Sessions, SignedPreKeys } from './stores.ts'

/** One device of an account; `user` is the digits of the LID, or of the phone number. The phone itself is device 0. */
export interface DeviceAddress {
  readonly user: string
  readonly device: number
}

/** Keys that a sender needs to write to a device first. Keys have 32 bytes, the signature 64. */
export interface Bundle {
  readonly registrationId: number
  readonly identity: Uint8Array
  readonly signedPreKey: { readonly id: number; readonly key: Uint8Array; readonly signature: Uint8Array }
  readonly preKey?: { readonly id: number; readonly key: Uint8Array }
}

/** A message between two devices: `pkmsg` starts a session, `msg` continues it. */
export interface Enciphered {
  readonly type: 'pkmsg' | 'msg'
  readonly body: Uint8Array
}

const signal = ({ user, device }: DeviceAddress) => ProtocolAddress.new(user, device)

/** The Signal sessions of one device with other devices, as Signal's own library has them. Calls take turns. */
export class DeviceSessions {
  readonly registrationId = randomInt(1, 16_381)
  readonly #identity: PrivateKey
  readonly #identities: Identities
  readonly #sessions = new Sessions()
  readonly #preKeys = new PreKeys()
  readonly #signedPreKey: SignedPreKeyRecord
  readonly #signedPreKeys: SignedPreKeys
  readonly #ciphertexts = new ReadCiphertexts()
  #nextPreKey = 1
  #turn: Promise<unknown> = Promise.resolve()

  constructor(identity: PrivateKey) {
    this.#identity = identity
    this.#identities = new Identities(identity, this.registrationId)
    const signed = PrivateKey.generate()
    const signature = identity.sign(typedKey(signed.getPublicKey()))
    this.#signedPreKey = SignedPreKeyRecord.new(1, Date.now(), signed.getPublicKey(), signed, signature)
    this.#signedPreKeys = new SignedPreKeys(this.#signedPreKey)
  }

  takeBundle(): Bundle {
    const id = this.#nextPreKey
    const preKey = PrivateKey.generate()
    this.#nextPreKey += 1
    this.#preKeys.add(id, preKey)
    const signed = this.#signedPreKey
    return {
      registrationId: this.registrationId,
      identity: rawKey(this.#identity.getPublicKey()),
      signedPreKey: { id: signed.id(), key: rawKey(signed.publicKey()), signature: signed.signature() },
      preKey: { id, key: rawKey(preKey.getPublicKey()) },
    }
  }

  has(address: DeviceAddress): boolean {
    return this.#sessions.has(signal(address))
  }

  forget(address: DeviceAddress): void {
    this.#sessions.remove(signal(address))
  }

  /** From now on what comes from this address must have this identity key of 32 bytes. */
  link(address: DeviceAddress, identity: Uint8Array): void {
    this.#identities.link(signal(address), publicKey(identity))
    this.#sessions.remove(signal(address))
  }

  identityOf(address: DeviceAddress): Uint8Array | undefined {
    const key = this.#identities.seen(signal(address))
    return key && rawKey(key)
  }

  encrypt(to: DeviceAddress, plaintext: Uint8Array, bundle?: Bundle): Promise<Enciphered> {
    return this.#inTurn(async () => {
      const address = signal(to)
      if (bundle)
        await processPreKeyBundle(toPreKeyBundle(bundle, to), address, this.#sessions, this.#identities)
      const enciphered = await signalEncrypt(
        Buffer.from(plaintext),
        address,
        this.#sessions,
        this.#identities,
      )
      const isFirst = enciphered.type() === CiphertextMessageType.PreKey
      return { type: isFirst ? 'pkmsg' : 'msg', body: enciphered.serialize() }
    })
  }

  decrypt(from: DeviceAddress, { type, body }: Enciphered): Promise<Deciphered<Uint8Array>> {
    return this.#inTurn(async () => {
      try {
        const content = await this.#decrypt(signal(from), type, Buffer.from(body))
        return this.#ciphertexts.read(body, content)
      } catch (error) {
        if (!(error instanceof LibSignalErrorBase) || error.code !== ErrorCode.DuplicatedMessage) throw error
        return this.#ciphertexts.repeated(body)
      }
    })
  }

  #decrypt(address: ProtocolAddress, type: 'pkmsg' | 'msg', body: Buffer): Promise<Buffer> {
    if (type === 'msg')
      return signalDecrypt(SignalMessage.deserialize(body), address, this.#sessions, this.#identities)
    return signalDecryptPreKey(
      PreKeySignalMessage.deserialize(body),
      address,
      this.#sessions,
      this.#identities,
      this.#preKeys,
      this.#signedPreKeys,
    )
  }

  /** Signal's library reads a session, awaits, and stores it: two calls at once would use one key twice. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => undefined)
    return result
  }
}

function toPreKeyBundle(bundle: Bundle, { device }: DeviceAddress): PreKeyBundle {
  const { registrationId, identity, signedPreKey, preKey } = bundle
  return PreKeyBundle.new(
    registrationId,
    device,
    preKey?.id ?? null,
    preKey ? publicKey(preKey.key) : null,
    signedPreKey.id,
    publicKey(signedPreKey.key),
    Buffer.from(signedPreKey.signature),
    publicKey(identity),
  )
}
