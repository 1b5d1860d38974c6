import { loadProto } from './load.ts'

type AccountType = 'E2EE' | 'HOSTED'

/** A device as its account signs it. The timestamp is in seconds. */
export interface DeviceIdentity {
  rawId?: number
  timestamp?: number
  keyIndex?: number
  accountType?: AccountType
  deviceType?: AccountType
}

/** The bytes of a `DeviceIdentity` with the signatures of the account and of the device. */
export interface SignedDeviceIdentity {
  details?: Uint8Array
  /** The identity key of the account's phone, 32 bytes. */
  accountSignatureKey?: Uint8Array
  accountSignature?: Uint8Array
  deviceSignature?: Uint8Array
}

/** The bytes of a `SignedDeviceIdentity`, authenticated by the secret that the companion showed in its QR code. */
export interface SealedDeviceIdentity {
  details?: Uint8Array
  hmac?: Uint8Array
  accountType?: AccountType
}

const codec = loadProto(new URL('device-identity.proto', import.meta.url))

export const deviceIdentityCodec = codec<DeviceIdentity>('ADVDeviceIdentity')
export const signedDeviceIdentityCodec = codec<SignedDeviceIdentity>('ADVSignedDeviceIdentity')
export const sealedDeviceIdentityCodec = codec<SealedDeviceIdentity>('ADVSignedDeviceIdentityHMAC')
