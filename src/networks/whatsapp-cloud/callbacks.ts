import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type {
  CallbackRequest,
  Callbacks,
  CallbackVerification,
  SharedCallbacks,
} from '../driver/abilities/callbacks.ts'
import { type ApiOptions, verifyAccount } from './account.ts'
import { partsOf } from './incoming/notifications.ts'
import type { CloudApp } from './settings.ts'

const signatureHeader = 'x-hub-signature-256'

/** Values that the API echoes: Meta sends digits. */
const challenge = /^[A-Za-z0-9._~-]{1,256}$/

/**
 * Posts of Meta, and its check of a URL before them. Source: Graph API, Webhooks, Getting started: a callback has up to 3 MB
 * and is signed with the secret of the app, over its bytes as they are; the check of the URL is not signed.
 */
export const callbacks: Callbacks = {
  maxBytes: 3 * 1024 * 1024,
  headers: [signatureHeader],
  verify: (request, _settings, credentials) => verify(request, credentials as Partial<CloudApp>),
}

/** The same, and those for the app of the operator if there is one. */
export function callbacksWith(options: ApiOptions): Callbacks {
  return options.app ? { ...callbacks, shared: sharedBy(options.app, options) } : callbacks
}

function sharedBy(app: CloudApp, options: ApiOptions): SharedCallbacks {
  return {
    verify: (request) => verify(request, app),
    isUsedBy: ({ app_secret }) => app_secret === undefined,
    split: partsOf,
    verifyAccount: (question) => verifyAccount(options, question),
  }
}

function verify(
  { method, query, headers, rawBody }: CallbackRequest,
  app: Partial<CloudApp>,
): CallbackVerification {
  if (method === 'GET') return checkOfUrl(query, app)
  return isSigned(rawBody, headers[signatureHeader], app) ? { kind: 'keep' } : unsigned
}

const unsigned: CallbackVerification = {
  kind: 'refused',
  status: 401,
  detail: 'The signature in X-Hub-Signature-256 is not that of the app whose secret is known here.',
}

const wrongToken: CallbackVerification = {
  kind: 'refused',
  status: 403,
  detail: 'The verify token is not the one that is known here.',
}

const noChallenge: CallbackVerification = {
  kind: 'refused',
  status: 400,
  detail: 'A check of the callback URL has hub.mode=subscribe, hub.verify_token and hub.challenge.',
}

function checkOfUrl(
  query: Readonly<Record<string, string>>,
  { verify_token }: Partial<CloudApp>,
): CallbackVerification {
  const given = query['hub.challenge']
  if (query['hub.mode'] !== 'subscribe' || given === undefined || !challenge.test(given)) return noChallenge
  if (verify_token === undefined || !isEqual(query['hub.verify_token'] ?? '', verify_token)) return wrongToken
  return { kind: 'response', status: 200, body: given, contentType: 'text/plain; charset=utf-8' }
}

function isSigned(body: Buffer, signature: string | undefined, { app_secret }: Partial<CloudApp>): boolean {
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
