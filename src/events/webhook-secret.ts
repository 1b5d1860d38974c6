import { randomBytes } from 'node:crypto'

/** How long a secret still signs after another took its place, in milliseconds. */
const overlap = 24 * 3_600_000

/** How many secrets sign at a time, so that somebody who rotates all day long does not make the header of signatures grow. */
const mostAtOnce = 4

/** The secrets of one webhook, to be kept sealed. */
export interface WebhookSecrets {
  readonly current: string
  /** Those whose place was taken, the newest first, and the moment until which each still signs, in milliseconds. */
  readonly former: readonly { readonly secret: string; readonly until: number }[]
}

/** A new secret: `whsec_` and 32 random bytes in base64 (Standard Webhooks 1.0.0, signature scheme). It is shown once. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/**
 * The secrets after a new one took the place of the current one, which goes on to sign for 24 hours. Somebody who rotates
 * twice, since the first answer was lost, does not cut off a receiver that still knows the secret before both.
 */
export function rotated(secrets: WebhookSecrets, secret: string, now: number): WebhookSecrets {
  const former = [{ secret: secrets.current, until: now + overlap }, ...secrets.former]
  return {
    current: secret,
    former: former.filter(({ until }) => until > now).slice(0, mostAtOnce - 1),
  }
}

/** The secrets that sign at this moment, the newest first. */
export function liveSecrets({ current, former }: WebhookSecrets, now: number): string[] {
  return [current, ...former.filter(({ until }) => until > now).map(({ secret }) => secret)]
}
