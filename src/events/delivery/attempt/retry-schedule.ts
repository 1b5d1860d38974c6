import type { AttemptResult } from './webhook-client.ts'

/** The consequence of an attempt: the delivery is settled, or attempted again later. */
export type DeliveryVerdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'again'; readonly at: number }
  /** The batch is split in two, and each half is sent at that time; the schedule begins anew. */
  | { readonly kind: 'split'; readonly at: number }
  | { readonly kind: 'failed' }
  /** The receiver wants neither this event nor any other. */
  | { readonly kind: 'gone' }

interface AttemptFacts {
  /** Counted from 1, since the batch was last split. */
  readonly attempt: number
  /** Number of events that the attempt sent; one if left out. */
  readonly events?: number
  /** When the attempt was over, in milliseconds since the epoch. */
  readonly now: number
  /** A number in [0, 1). */
  readonly random: number
}

const minute = 60_000
const hour = 60 * minute

/**
 * The delays between a failed attempt and the next one, in milliseconds: ten attempts in 75 hours and 35 minutes, as
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

/**
 * The most by which an attempt comes early or late, as a share of the delay, so that deliveries that failed together spread
 * out.
 */
const jitter = 0.2

/** Milliseconds between a failure and sending the halves of a batch. */
const splitDelay = 1_000

/** Statuses with which a receiver may ask to be left alone for a while. */
const waits = new Set([429, 503])

/** Statuses that do not blame the content: too many requests, and those of a proxy that does not reach its server. */
const blamelessStatuses = new Set([429, 502, 503, 504])
/** Failures that the content may have caused: the receiver took too long over it, or broke off. */
const mayBeContent = new Set<string>(['timeout', 'connection_lost', 'invalid_answer'])

/** True if a single event may be the reason why the batch did not arrive. */
function mayBeOneEvent(result: AttemptResult): boolean {
  return result.kind === 'responded' ? !blamelessStatuses.has(result.status) : mayBeContent.has(result.code)
}

/**
 * Decides what follows from an attempt; nothing else does. A redirect is not followed: it is a failure. A batch that is too
 * large (413) is split at once; one whose content may be the cause, after its second failure. So an event that the receiver
 * cannot take is found in a few steps, and the others arrive.
 */
export function judgeAttempt(
  result: AttemptResult,
  { attempt, events = 1, now, random }: AttemptFacts,
): DeliveryVerdict {
  const status = result.kind === 'responded' ? result.status : null
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' }
  if (status === 410) return { kind: 'gone' }
  if (events > 1 && status === 413) return { kind: 'split', at: now }
  if (events > 1 && attempt > 1 && mayBeOneEvent(result)) return { kind: 'split', at: now + splitDelay }
  const delay = delays[attempt - 1]
  if (delay === undefined) return { kind: 'failed' }
  const scheduled = delay * (1 - jitter + 2 * jitter * random)
  const asked = result.kind === 'responded' && waits.has(result.status) ? (result.retryAfter ?? 0) * 1_000 : 0
  return { kind: 'again', at: Math.round(now + Math.max(scheduled, asked)) }
}
