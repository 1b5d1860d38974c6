import type { Event } from './contract/types.ts'
import { PosthornError } from './errors.ts'

/** The delivery is not, or not certainly, from your Posthorn: answer it with 401 and do nothing else. */
export class WebhookVerificationError extends PosthornError {
  override readonly name = 'WebhookVerificationError'
}

/** The headers of a request: of a `Request`, or as Node.js has them. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /** Seconds by which the clocks may differ, and a delivery may be late; 300 by default. */
  readonly toleranceSeconds?: number | undefined
}

const toleranceSeconds = 300

/**
 * Verifies a delivery (Standard Webhooks 1.0.0) and returns its event. `body` is the body exactly as it arrived: its bytes or its text,
 * never parsed JSON. With several secrets, one that fits is enough, so that a secret can be rotated.
 */
export async function verifyWebhook(
  body: string | Uint8Array<ArrayBuffer> | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<Event> {
  const content = await verified(body, headers, secrets, options)
  if ('events' in content) {
    throw new WebhookVerificationError('The delivery is a batch of events: read it with verifyWebhookBatch.')
  }
  return content
}

/** The same for a webhook whose `batch` is greater than 1: returns the events of the delivery, oldest first. */
export async function verifyWebhookBatch(
  body: string | Uint8Array<ArrayBuffer> | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<Event[]> {
  const content = await verified(body, headers, secrets, options)
  return 'events' in content ? content.events : [content]
}

async function verified(
  body: string | Uint8Array<ArrayBuffer> | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options: VerifyOptions,
): Promise<Event | { readonly events: Event[] }> {
  const bytes = bytesOf(body)
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    header(headers, `webhook-${name}`),
  )
  if (!id || !timestamp || !signatures) {
    throw new WebhookVerificationError(
      'The request has no signature: webhook-id, webhook-timestamp or webhook-signature is missing.',
    )
  }
  const age = Math.abs(Date.now() / 1_000 - Number(timestamp))
  if (!(age <= (options.toleranceSeconds ?? toleranceSeconds))) {
    throw new WebhookVerificationError('The delivery is too old, or the clocks of both sides differ.')
  }
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  for (const secret of typeof secrets === 'string' ? [secrets] : secrets) {
    if (await isSignedBy(secret, signed, signatures)) return JSON.parse(new TextDecoder().decode(bytes))
  }
  throw new WebhookVerificationError(
    'No signature fits: the secret is another one, or the body was changed on its way.',
  )
}

/** True if one of the signatures is of this secret. WebCrypto compares in constant time. */
async function isSignedBy(
  secret: string,
  signed: Uint8Array<ArrayBuffer>,
  signatures: string,
): Promise<boolean> {
  const raw = bytesOfBase64(secret.replace(/^whsec_/, ''))
  if (!raw)
    throw new TypeError(
      'A secret of a webhook is whsec_ and base64, as the webhook showed it when it was created.',
    )
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  for (const each of signatures.split(' ')) {
    const signature = each.startsWith('v1,') ? bytesOfBase64(each.slice(3)) : undefined
    if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return true
  }
  return false
}

function header(headers: WebhookHeaders, name: string): string | undefined {
  const value =
    typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : undefined
}

function bytesOf(body: unknown): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  if (body instanceof Uint8Array) return body as Uint8Array<ArrayBuffer>
  throw new TypeError(
    'verifyWebhook needs the body exactly as it arrived, as bytes or text. Parsed JSON cannot be verified: read the raw body first.',
  )
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.length + second.length)
  whole.set(first)
  whole.set(second, first.length)
  return whole
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
