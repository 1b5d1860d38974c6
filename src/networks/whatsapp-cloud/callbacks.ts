import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { CallbackRequest, Callbacks, Verification } from '../callbacks.ts'
import type { Credentials } from '../driver.ts'
import type { CloudCredentials } from './settings.ts'

const signatureHeader = 'x-hub-signature-256'

/** What the API echoes: Meta sends digits. */
const challenge = /^[A-Za-z0-9._~-]{1,256}$/

/**
 * What Meta posts, and how it checks a URL first. Source: Graph API, Webhooks, Getting started: a callback has up to 3 MB and is
 * signed with the secret of the app, over its bytes as they are; the check of the URL is not signed.
 */
export const callbacks: Callbacks = {
  mostBytes: 3 * 1024 * 1024,
  headers: [signatureHeader],
  verify({ method, query, headers, rawBody }: CallbackRequest, _settings, credentials): Verification {
    if (method === 'GET') return checkOfUrl(query, credentials)
    return isSigned(rawBody, headers[signatureHeader], credentials) ? { kind: 'keep' } : unsigned
  },
}

const unsigned: Verification = {
  kind: 'refused',
  status: 401,
  detail: 'The signature in X-Hub-Signature-256 is not that of the app whose secret the instance has.',
}

const wrongToken: Verification = {
  kind: 'refused',
  status: 403,
  detail: 'The verify token is not that of the instance.',
}

const noChallenge: Verification = {
  kind: 'refused',
  status: 400,
  detail: 'A check of the callback URL has hub.mode=subscribe, hub.verify_token and hub.challenge.',
}

function checkOfUrl(query: Readonly<Record<string, string>>, credentials: Credentials): Verification {
  const given = query['hub.challenge']
  if (query['hub.mode'] !== 'subscribe' || given === undefined || !challenge.test(given)) return noChallenge
  const { verify_token } = credentials as Partial<CloudCredentials>
  if (verify_token === undefined || !isEqual(query['hub.verify_token'] ?? '', verify_token)) return wrongToken
  return { kind: 'answer', status: 200, body: given, contentType: 'text/plain; charset=utf-8' }
}

function isSigned(body: Buffer, signature: string | undefined, credentials: Credentials): boolean {
  const { app_secret } = credentials as Partial<CloudCredentials>
  if (app_secret === undefined || signature === undefined) return false
  const expected = Buffer.from(`sha256=${createHmac('sha256', app_secret).update(body).digest('hex')}`)
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Compares in a time that does not depend on the texts: neither on where they differ, nor on how long the secret is. */
function isEqual(given: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(secret))
}
