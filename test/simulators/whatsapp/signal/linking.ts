import { createHmac, randomInt } from 'node:crypto'
import type { PrivateKey } from '@signalapp/libsignal-client'
import {
  deviceIdentityCodec,
  type SignedDeviceIdentity,
  sealedDeviceIdentityCodec,
  signedDeviceIdentityCodec,
} from '../proto/device-identity.ts'
import { publicKey, rawKey } from './curve.ts'

/*
 * The phone's voucher for a device that it links. Source: the checks of Baileys and zapo-js when a pairing succeeds
 * (configureSuccessfulPairing; WaAdvSignature).
 */

/** Keys that a companion shows to be linked, of 32 bytes each. */
export interface Companion {
  readonly identity: Uint8Array
  /** Authenticates the answer of the phone. */
  readonly advSecret: Uint8Array
}

export interface QrContent extends Companion {
  readonly ref: string
  readonly noiseKey: Uint8Array
}

/** The phone's word about the companion. */
export interface Voucher {
  /** The bytes of an ADVSignedDeviceIdentityHMAC. */
  readonly identityHmac: Uint8Array
  /** The bytes of the ADVDeviceIdentity in it. */
  readonly details: Uint8Array
}

const accountPrefix = Buffer.from([6, 0])
const devicePrefix = Buffer.from([6, 1])

/** Reads the text of a QR code, with or without the address before it. Throws if it is not one for linking. */
export function readQr(qr: string): QrContent {
  const [ref, noise, identity, secret, ...rest] = qr.slice(qr.indexOf('#') + 1).split(',')
  const [noiseKey, identityKey, advSecret] = [noise, identity, secret].map((part) =>
    Buffer.from(part ?? '', 'base64'),
  )
  const keys = [noiseKey, identityKey, advSecret]
  if (!ref || rest.length !== 1 || keys.some((key) => key?.length !== 32))
    throw new Error(
      'The QR code is not one that links a device: it must have a ref, three keys and a platform.',
    )
  return { ref, noiseKey, identity: identityKey, advSecret } as QrContent
}

/** Signs a companion's identity as device number `keyIndex` of this account. */
export function vouch(account: PrivateKey, { identity, advSecret }: Companion, keyIndex: number): Voucher {
  const details = deviceIdentityCodec.encode({
    rawId: randomInt(1, 2 ** 31),
    timestamp: Math.floor(Date.now() / 1000),
    keyIndex,
    accountType: 'E2EE',
    deviceType: 'E2EE',
  })
  const signed = signedDeviceIdentityCodec.encode({
    details,
    accountSignatureKey: rawKey(account.getPublicKey()),
    accountSignature: account.sign(Buffer.concat([accountPrefix, details, identity])),
  })
  const hmac = createHmac('sha256', advSecret).update(signed).digest()
  return { identityHmac: sealedDeviceIdentityCodec.encode({ details: signed, hmac }), details }
}

/**
 * True if the account with this identity key vouches for the device, and the device signed that it is one of it.
 * `signed` is the bytes of an ADVSignedDeviceIdentity; if they name the account's key, it must be this one.
 */
export function isVouchedFor(signed: Uint8Array, device: Uint8Array, account: Uint8Array): boolean {
  const { details, accountSignature, deviceSignature, accountSignatureKey } = read(signed)
  if (!details || !accountSignature || !deviceSignature) return false
  if (accountSignatureKey?.length && !Buffer.from(account).equals(accountSignatureKey)) return false
  const byAccount = Buffer.concat([accountPrefix, details, device])
  const byDevice = Buffer.concat([devicePrefix, details, device, account])
  return (
    publicKey(account).verify(byAccount, Buffer.from(accountSignature)) &&
    publicKey(device).verify(byDevice, Buffer.from(deviceSignature))
  )
}

/** The details that were signed; undefined if the bytes are no ADVSignedDeviceIdentity. */
export function signedDetails(signed: Uint8Array): Uint8Array | undefined {
  return read(signed).details
}

function read(signed: Uint8Array): SignedDeviceIdentity {
  try {
    return signedDeviceIdentityCodec.decode(signed)
  } catch {
    return {}
  }
}
