import { createHmac, timingSafeEqual } from 'node:crypto'
import type { CallbackRequest, Callbacks, CallbackVerification } from '../driver/abilities/callbacks.ts'
import type { SealedCredentials } from '../driver/account.ts'
import { largestCallback } from './limits.ts'
import { isCalledBack, type TelegramCredentials } from './settings.ts'

const secretHeader = 'x-telegram-bot-api-secret-token'

/** Posts of Telegram: one update at a time, with the secret that the webhook was set with. */
export const callbacks: Callbacks = {
  maxBytes: largestCallback,
  headers: [secretHeader],
  verify({ method, headers }: CallbackRequest, _settings, credentials): CallbackVerification {
    if (method !== 'POST') return { kind: 'refused', status: 405, detail: 'Telegram posts its updates.' }
    return isSecret(headers[secretHeader], credentials) ? { kind: 'keep' } : wrongSecret
  },
  usedWith: isCalledBack,
}

/** Makes the request that Telegram would send for the bot with this token. */
export function requestFor(token: string): CallbackRequest {
  return {
    method: 'POST',
    query: {},
    headers: { [secretHeader]: secretFor(token) },
    rawBody: Buffer.alloc(0),
  }
}

const wrongSecret: CallbackVerification = {
  kind: 'refused',
  status: 401,
  detail: 'X-Telegram-Bot-Api-Secret-Token is not the secret that Posthorn gave to Telegram.',
}

/**
 * Returns the secret that Telegram sends with every update, and no other sender can know. It follows from the token of the
 * bot and is stored nowhere. Telegram takes up to 256 letters, digits, `_` and `-`
 * (https://core.telegram.org/bots/api#setwebhook).
 */
export function secretFor(token: string): string {
  return createHmac('sha256', token).update('posthorn telegram webhook').digest('base64url')
}

/**
 * Returns the secrets of a bot that only Telegram may see: its token, also without the number of the bot, and the one that
 * it sends back.
 */
export function secretsOf(token: string): readonly string[] {
  return [token, token.slice(token.indexOf(':') + 1), secretFor(token)]
}

function isSecret(given: string | undefined, credentials: SealedCredentials): boolean {
  const { token } = credentials as Partial<TelegramCredentials>
  if (token === undefined || given === undefined) return false
  const [expected, actual] = [Buffer.from(secretFor(token)), Buffer.from(given)]
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}
