import {
  type Direction,
  IdentityKeyStore,
  PreKeyRecord,
  PreKeyStore,
  type PrivateKey,
  type ProtocolAddress,
  type PublicKey,
  type SessionRecord,
  SessionStore,
  type SignedPreKeyRecord,
  SignedPreKeyStore,
} from '@signalapp/libsignal-client'
import { dropOldest } from './bounds.ts'

/** Unused one-time keys that are kept; the oldest goes when there are more. */
const maxPreKeys = 4096

const keyOf = (address: ProtocolAddress) => `${address.name()}.${address.deviceId()}`

/** The sessions of one device with others. A record is a handle of its own, so each has to be stored again. */
export class Sessions extends SessionStore {
  readonly #records = new Map<string, SessionRecord>()

  has(address: ProtocolAddress): boolean {
    return this.#records.get(keyOf(address))?.hasCurrentState() ?? false
  }

  remove(address: ProtocolAddress): void {
    this.#records.delete(keyOf(address))
  }

  override async saveSession(address: ProtocolAddress, record: SessionRecord): Promise<void> {
    this.#records.set(keyOf(address), record)
  }

  override async getSession(address: ProtocolAddress): Promise<SessionRecord | null> {
    return this.#records.get(keyOf(address)) ?? null
  }

  override async getExistingSessions(addresses: ProtocolAddress[]): Promise<SessionRecord[]> {
    return addresses.flatMap((address) => this.#records.get(keyOf(address)) ?? [])
  }
}

/** The identity keys of one device and of those it talks to. */
export class Identities extends IdentityKeyStore {
  readonly #own: PrivateKey
  readonly #registrationId: number
  readonly #seen = new Map<string, PublicKey>()
  readonly #linked = new Map<string, PublicKey>()

  constructor(own: PrivateKey, registrationId: number) {
    super()
    this.#own = own
    this.#registrationId = registrationId
  }

  /** From now on this address has this key only. */
  link(address: ProtocolAddress, key: PublicKey): void {
    this.#linked.set(keyOf(address), key)
  }

  override async getIdentityKey(): Promise<PrivateKey> {
    return this.#own
  }

  override async getLocalRegistrationId(): Promise<number> {
    return this.#registrationId
  }

  override async saveIdentity(address: ProtocolAddress, key: PublicKey): Promise<boolean> {
    const before = this.#seen.get(keyOf(address))
    this.#seen.set(keyOf(address), key)
    return before !== undefined && before.compare(key) !== 0
  }

  /** Contacts may change their key, as they do with a new phone; a device that this phone linked may not. */
  override async isTrustedIdentity(
    address: ProtocolAddress,
    key: PublicKey,
    _direction: Direction,
  ): Promise<boolean> {
    const linked = this.#linked.get(keyOf(address))
    return linked === undefined || linked.compare(key) === 0
  }

  override async getIdentity(address: ProtocolAddress): Promise<PublicKey | null> {
    return this.seen(address) ?? null
  }

  seen(address: ProtocolAddress): PublicKey | undefined {
    return this.#seen.get(keyOf(address))
  }
}

/** Keys for one message each. Signal's library removes the one that a message has used. */
export class PreKeys extends PreKeyStore {
  readonly #records = new Map<number, PreKeyRecord>()

  add(id: number, key: PrivateKey): void {
    this.#records.set(id, PreKeyRecord.new(id, key.getPublicKey(), key))
    dropOldest(this.#records, maxPreKeys)
  }

  override async savePreKey(id: number, record: PreKeyRecord): Promise<void> {
    this.#records.set(id, record)
  }

  override async getPreKey(id: number): Promise<PreKeyRecord> {
    const record = this.#records.get(id)
    if (!record) throw new Error(`The phone has no one-time key ${id}, or it was used before.`)
    return record
  }

  override async removePreKey(id: number): Promise<void> {
    this.#records.delete(id)
  }
}

/** The one signed pre-key of a device. */
export class SignedPreKeys extends SignedPreKeyStore {
  readonly #record: SignedPreKeyRecord

  constructor(record: SignedPreKeyRecord) {
    super()
    this.#record = record
  }

  override async saveSignedPreKey(): Promise<void> {
    throw new Error('A phone of the simulator keeps its signed pre-key.')
  }

  override async getSignedPreKey(id: number): Promise<SignedPreKeyRecord> {
    if (id !== this.#record.id()) throw new Error(`The phone has no signed pre-key ${id}.`)
    return this.#record
  }
}
