import { bytesOfBase32 } from '../../../runtime/ids.ts'

/** When a message was accepted, in milliseconds since the epoch: its id begins with that (RFC 9562, UUIDv7). */
export function acceptedAt(id: string): number {
  return Buffer.from(bytesOfBase32(id)).readUIntBE(0, 6)
}
