import type { AttemptResult } from './webhook-client.ts'

/** What follows from an attempt: the delivery is settled, or there is another attempt at a time. */
export type DeliveryVerdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'again'; readonly at: number }
  | { readonly kind: 'failed' }
  /** The receiver wants nothing more, of this event and of all others. */
  | { readonly kind: 'gone' }

interface AttemptFacts {
  /** Counted from 1. */
  readonly attempt: number
  /** When the attempt was over, in milliseconds since the epoch. */
  readonly now: number
  /** A number in [0, 1). */
  readonly random: number
}

const minute = 60_000
const hour = 60 * minute

/**
 * How long after an attempt that failed the next one is made, in milliseconds: ten attempts in 75 hours and 35 minutes, as
 * Standard Webhooks 1.0.0 recommends.
 */
const delays: readonly number[] = [
  5_000,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]

/** How much earlier or later than that, so that those who failed together do not come back together. */
const jitter = 0.2

/** Statuses with which a receiver may ask to be left alone for a while. */
const waits = new Set([429, 503])

/** Decides what follows from an attempt. This is the only place that does. A redirect is not followed: it is a failure. */
export function judgeAttempt(result: AttemptResult, { attempt, now, random }: AttemptFacts): DeliveryVerdict {
  const status = result.kind === 'answered' ? result.status : null
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' }
  if (status === 410) return { kind: 'gone' }
  const delay = delays[attempt - 1]
  if (delay === undefined) return { kind: 'failed' }
  const scheduled = delay * (1 - jitter + 2 * jitter * random)
  const asked = result.kind === 'answered' && waits.has(result.status) ? (result.retryAfter ?? 0) * 1_000 : 0
  return { kind: 'again', at: Math.round(now + Math.max(scheduled, asked)) }
}
