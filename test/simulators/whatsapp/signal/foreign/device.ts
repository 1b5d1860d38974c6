import type { Bundle, DeviceAddress, Enciphered } from '../device-sessions.ts'

/** A linked device as another program has it, to prove that phones are understood by what they were not made for. */
export interface ForeignDevice {
  readonly address: DeviceAddress
  /** 32 bytes. */
  readonly identity: Uint8Array
  takeBundle(): Promise<Bundle>
  startSession(to: DeviceAddress, bundle: Bundle): Promise<void>
  encrypt(to: DeviceAddress, plaintext: Uint8Array): Promise<Enciphered>
  decrypt(from: DeviceAddress, enc: Enciphered): Promise<Uint8Array>
  encryptForGroup(
    group: string,
    plaintext: Uint8Array,
  ): Promise<{ body: Uint8Array; distribution: Uint8Array }>
  takeDistribution(group: string, from: DeviceAddress, distribution: Uint8Array): Promise<void>
  decryptForGroup(group: string, from: DeviceAddress, body: Uint8Array): Promise<Uint8Array>
}
