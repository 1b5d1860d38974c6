import { createHmac } from 'node:crypto'

/** The headers that carry the signature (Standard Webhooks 1.0.0, webhook headers). */
export interface SignatureHeaders {
  readonly 'webhook-id': string
  /** Seconds since the epoch. */
  readonly 'webhook-timestamp': string
  /** `v1,` and the HMAC in base64 for each secret, separated by spaces. */
  readonly 'webhook-signature': string
}

export interface Signable {
  /** The id of the event, the same for each attempt. It contains no dot, because a dot ends it in the signed text. */
  readonly id: string
  /** The moment of this attempt, in milliseconds since the epoch. */
  readonly at: number
  /** The body exactly as it is sent. */
  readonly body: Uint8Array
  /** The secrets that sign, the newest first, each `whsec_` and base64. */
  readonly secrets: readonly string[]
}

/** Returns the headers by which a receiver can identify a webhook, verify its sender, and detect changes made on its way. */
export function signatureHeaders({ id, at, body, secrets }: Signable): SignatureHeaders {
  const seconds = String(Math.floor(at / 1_000))
  const signatures = secrets.map((secret) => `v1,${signature(secret, `${id}.${seconds}.`, body)}`)
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': signatures.join(' '),
  }
}

function signature(secret: string, beginning: string, body: Uint8Array): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  return createHmac('sha256', key).update(beginning).update(body).digest('base64')
}
