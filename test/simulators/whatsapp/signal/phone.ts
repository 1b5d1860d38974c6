import { PrivateKey } from '@signalapp/libsignal-client'
import { type Message, messageCodec } from '../proto/message.ts'
import { dropOldest } from './bounds.ts'
import { rawKey } from './curve.ts'
import type { Deciphered } from './deciphered.ts'
import { type Bundle, type DeviceAddress, DeviceSessions, type Enciphered } from './device-sessions.ts'
import { type GroupCiphertext, GroupSessions } from './group-sessions.ts'
import { isVouchedFor, type QrContent, readQr, signedDetails, type Voucher, vouch } from './linking.ts'
import { pad, unpad } from './padding.ts'
import { type CompanionFinish, type CompanionHello, PairingCodes, type PrimaryHello } from './pairing-code.ts'

export type { Deciphered } from './deciphered.ts'
export type { Bundle, DeviceAddress, Enciphered } from './device-sessions.ts'
export { WrongCode } from './pairing-code.ts'

/** The number that the server gave to a new device, and the place of its key in the account's list of keys. */
export interface DeviceNumber {
  readonly device: number
  readonly keyIndex: number
}

/** Request of a phone to the server to link a companion. */
export interface LinkRequest extends Voucher {
  readonly ref: string
  /** The key by which the companion proves itself in the Noise handshake, 32 bytes. */
  readonly noiseKey: Uint8Array
  readonly companionIdentity: Uint8Array
}

/**
 * The keys and sessions of a person's phone: what no server sees. `pn` and `lid` are the digits of its phone number
 * and of its LID. Throws Signal's errors if something cannot be decrypted.
 */
export class Phone {
  readonly pn: string
  readonly lid: string
  readonly name: string
  /** 32 bytes; the account vouches for its devices with it. */
  readonly identity: Uint8Array
  readonly #key = PrivateKey.generate()
  readonly #sessions = new DeviceSessions(this.#key)
  readonly #groups = new GroupSessions()
  readonly #codes = new PairingCodes(this.#key)
  readonly #vouched = new Map<string, Uint8Array>()

  constructor(options: { readonly pn: string; readonly lid: string; readonly name: string }) {
    this.pn = options.pn
    this.lid = options.lid
    this.name = options.name
    this.identity = rawKey(this.#key.getPublicKey())
  }

  get registrationId(): number {
    return this.#sessions.registrationId
  }

  /** Returns the keys to write to this phone first, with a one-time key that is handed out once. */
  takeBundle(): Bundle {
    return this.#sessions.takeBundle()
  }

  /**
   * Makes the request that the phone sends when its person scans the text of a QR code. Throws if the code is not one for
   * linking.
   */
  scan(qr: string, given: DeviceNumber): LinkRequest {
    return this.#link(readQr(qr), given)
  }

  /**
   * Makes the phone's answer when its person types the code that a companion shows. A wrong code is only noticed when the
   * companion finishes.
   */
  enterCode(code: string, hello: CompanionHello): Promise<PrimaryHello> {
    return this.#codes.enter(code, hello)
  }

  /**
   * Makes the request that the phone sends when the companion has finished: the same as after a scan. Throws `WrongCode`.
   */
  finishCode(finish: CompanionFinish, given: DeviceNumber): LinkRequest {
    return this.#link(this.#codes.finish(finish), given)
  }

  /** True if the companion signed what this phone vouched for; `signed` is an ADVSignedDeviceIdentity. */
  isSignedBack(signed: Uint8Array, companionIdentity: Uint8Array): boolean {
    const vouched = this.#vouched.get(Buffer.from(companionIdentity).toString('hex'))
    const details = signedDetails(signed)
    if (!vouched || !details || !Buffer.from(vouched).equals(details)) return false
    return isVouchedFor(signed, companionIdentity, this.identity)
  }

  hasSession(to: DeviceAddress): boolean {
    return this.#sessions.has(to)
  }

  /** Drops the session with a device, as after its person reinstalled WhatsApp. */
  forgetSession(address: DeviceAddress): void {
    this.#sessions.forget(address)
  }

  /** The identity key that a device showed last, 32 bytes. */
  identityOf(address: DeviceAddress): Uint8Array | undefined {
    return this.#sessions.identityOf(address)
  }

  /** A bundle starts a new session, whether there is one or not. Throws if there is neither. Bytes need not be a message. */
  encrypt(to: DeviceAddress, message: Message | Uint8Array, bundle?: Bundle): Promise<Enciphered> {
    const bytes = message instanceof Uint8Array ? message : messageCodec.encode(message)
    return this.#sessions.encrypt(to, pad(bytes), bundle)
  }

  async decrypt(from: DeviceAddress, enc: Enciphered): Promise<Deciphered<Message>> {
    return toMessage(await this.#sessions.decrypt(from, enc))
  }

  /** `distribution` is for each device of the group, in a `senderKeyDistributionMessage`; it also reads this message. */
  encryptForGroup(group: string, message: Message): GroupCiphertext {
    return this.#groups.encrypt(group, pad(messageCodec.encode(message)))
  }

  takeDistribution(group: string, from: DeviceAddress, distribution: Uint8Array): void {
    this.#groups.takeDistribution(group, from, distribution)
  }

  /** Drops the keys to what a device writes in a group. */
  forgetGroupKeys(group: string, from: DeviceAddress): void {
    this.#groups.forget(group, from)
  }

  decryptForGroup(group: string, from: DeviceAddress, body: Uint8Array): Deciphered<Message> {
    return toMessage(this.#groups.decrypt(group, from, body))
  }

  #link({ ref, noiseKey, identity, advSecret }: QrContent, given: DeviceNumber): LinkRequest {
    const voucher = vouch(this.#key, { identity, advSecret }, given.keyIndex)
    this.#vouched.set(Buffer.from(identity).toString('hex'), voucher.details)
    dropOldest(this.#vouched, maxVouched)
    this.#sessions.link({ user: this.lid, device: given.device }, identity)
    return { ref, noiseKey, companionIdentity: identity, ...voucher }
  }
}

/** Companions for which a phone remembers what it vouched for; WhatsApp itself links four. */
const maxVouched = 64

/** Wraps a message that an account sent from one device, as it tells its others. */
export function deviceSent(destinationJid: string, message: Message): Message {
  return { deviceSentMessage: { destinationJid, message } }
}

function toMessage(deciphered: Deciphered<Uint8Array>): Deciphered<Message> {
  if (deciphered.kind !== 'read') return deciphered
  return { kind: 'read', content: messageCodec.decode(unpad(deciphered.content)) }
}
