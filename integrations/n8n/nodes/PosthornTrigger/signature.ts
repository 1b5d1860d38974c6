import { createHmac, timingSafeEqual } from 'node:crypto'

/** The headers of a request, as Node.js has them. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** Seconds by which the clocks may differ, and a delivery may be late. */
const tolerance = 300
/** Signatures of a delivery that are compared; a rotated secret makes two. */
const maxSignatures = 10

/**
 * True if a delivery is signed with the secret, as Standard Webhooks 1.0.0 says, and not too old. `body` is the body exactly as it
 * arrived.
 */
export function isSigned(body: Buffer, headers: RequestHeaders, secret: string, now = Date.now()): boolean {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    (name) => headers[name],
  )
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false
  if (!/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(now / 1_000 - Number(timestamp)) > tolerance) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  if (key.length === 0) return false
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  return signatures
    .split(' ', maxSignatures)
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => Buffer.from(signature.slice(3), 'base64'))
    .some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected))
}
