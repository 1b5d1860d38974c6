import { createCipheriv, createDecipheriv, hkdfSync, pbkdf2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { PrivateKey, type PublicKey } from '@signalapp/libsignal-client'
import { dropOldest } from './bounds.ts'
import { publicKey, rawKey } from './curve.ts'
import type { QrContent } from './linking.ts'

/*
 * Linking by a code of eight characters that the companion shows and its person types on the phone. Source: how Baileys
 * (requestPairingCode, link_code_companion_reg) and zapo-js (pairing-code-crypto) do the companion's side of it.
 */

/** The companion's `companion_hello` as the server keeps it: its fields, and the ref that the server gave to it. */
export interface CompanionHello {
  readonly ref: string
  /** A salt of 32 bytes, a counter of 16, and the companion's ephemeral key, encrypted by the code. */
  readonly wrappedCompanionEphemeral: Uint8Array
  readonly companionNoise: Uint8Array
}

/** The phone's answer, for the notification with the stage `primary_hello`. */
export interface PrimaryHello {
  readonly ref: string
  readonly wrappedPrimaryEphemeral: Uint8Array
  readonly primaryIdentity: Uint8Array
}

/** The companion's answer with the stage `companion_finish`. */
export interface CompanionFinish {
  readonly ref: string
  /** A salt of 32 bytes, a nonce of 12, and two identities and a secret, encrypted by what both sides share. */
  readonly wrappedKeyBundle: Uint8Array
  readonly companionIdentity: Uint8Array
}

/** The code was not the one that the companion shows, or its answer was changed on the way. */
export class WrongCode extends Error {
  constructor() {
    super('The pairing code is not the one that the device shows.')
  }
}

interface Entered {
  readonly noiseKey: Uint8Array
  readonly shared: Uint8Array
}

const derive = promisify(pbkdf2)
const rounds = 131_072
const maxEntered = 16

/** The codes that the person of a phone has typed, until their companions have finished. */
export class PairingCodes {
  readonly #identity: PrivateKey
  readonly #entered = new Map<string, Entered>()

  constructor(identity: PrivateKey) {
    this.#identity = identity
  }

  /** A wrong code is only noticed when the companion finishes, as between real devices. */
  async enter(typed: string, hello: CompanionHello): Promise<PrimaryHello> {
    const { ref, wrappedCompanionEphemeral: wrapped, companionNoise } = hello
    if (wrapped.length !== 80 || companionNoise.length !== 32)
      throw new Error('What the companion sent with its pairing code has the wrong length.')
    const code = typed.replaceAll(/[-\s]/g, '').toUpperCase()
    const companion = publicKey(await unwrap(code, wrapped))
    const ephemeral = PrivateKey.generate()
    this.#entered.set(ref, { noiseKey: companionNoise, shared: ephemeral.agree(companion) })
    dropOldest(this.#entered, maxEntered)
    return {
      ref,
      wrappedPrimaryEphemeral: await wrap(code, rawKey(ephemeral.getPublicKey())),
      primaryIdentity: rawKey(this.#identity.getPublicKey()),
    }
  }

  /**
   * Returns the content of the QR code that the companion would have shown. Throws `WrongCode`; a code can be tried once.
   */
  finish({ ref, wrappedKeyBundle, companionIdentity }: CompanionFinish): QrContent {
    const entered = this.#entered.get(ref)
    if (!entered) throw new Error('Nobody typed the code of this pairing, or it was finished before.')
    this.#entered.delete(ref)
    const { noiseKey, shared } = entered
    const bundle = openBundle(shared, wrappedKeyBundle)
    const both = Buffer.concat([companionIdentity, rawKey(this.#identity.getPublicKey())])
    if (!both.equals(bundle.subarray(0, 64))) throw new WrongCode()
    const companion: PublicKey = publicKey(companionIdentity)
    const material = Buffer.concat([shared, this.#identity.agree(companion), bundle.subarray(64)])
    const advSecret = Buffer.from(hkdfSync('sha256', material, new Uint8Array(32), 'adv_secret', 32))
    return { ref, noiseKey, identity: companionIdentity, advSecret }
  }
}

async function unwrap(code: string, wrapped: Uint8Array): Promise<Uint8Array> {
  const key = await derive(code, wrapped.subarray(0, 32), rounds, 32, 'sha256')
  return createDecipheriv('aes-256-ctr', key, wrapped.subarray(32, 48)).update(wrapped.subarray(48))
}

async function wrap(code: string, ephemeral: Uint8Array): Promise<Uint8Array> {
  const [salt, counter] = [randomBytes(32), randomBytes(16)]
  const key = await derive(code, salt, rounds, 32, 'sha256')
  return Buffer.concat([salt, counter, createCipheriv('aes-256-ctr', key, counter).update(ephemeral)])
}

/** Two identities and a secret, 32 bytes each. */
function openBundle(shared: Uint8Array, wrapped: Uint8Array): Buffer {
  if (wrapped.length !== 32 + 12 + 96 + 16)
    throw new Error('What the companion sent to finish its pairing has the wrong length.')
  const info = 'link_code_pairing_key_bundle_encryption_key'
  const key = new Uint8Array(hkdfSync('sha256', shared, wrapped.subarray(0, 32), info, 32))
  const decipher = createDecipheriv('aes-256-gcm', key, wrapped.subarray(32, 44))
  decipher.setAuthTag(wrapped.subarray(-16))
  try {
    return Buffer.concat([decipher.update(wrapped.subarray(44, -16)), decipher.final()])
  } catch {
    throw new WrongCode()
  }
}
