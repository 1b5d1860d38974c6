import type { EventType } from '../../contract/resources/event.ts'
import type { CountName } from '../../contract/statuses.ts'
import { type Buckets, bucketOf } from './latency.ts'

/** What happened in an interval; what did not happen is left out. */
export interface Counts extends Partial<Readonly<Record<CountName, number>>> {
  readonly to_sent?: Buckets
  readonly to_delivered?: Buckets
}

/** What each event counts as. No other is a step of a message. */
const countedAs: Partial<Readonly<Record<EventType, CountName>>> = {
  'message.queued': 'accepted',
  'message.sent': 'sent',
  'message.delivered': 'delivered',
  'message.read': 'read',
  'message.failed': 'failed',
  'message.expired': 'expired',
  'message.canceled': 'canceled',
  'message.unknown': 'unknown',
  'message.received': 'received',
}

export interface EventToCount {
  readonly type: EventType
  /** JSON text. */
  readonly data: string
}

/** What counting needs to know of the message of an event. */
export interface MessageToCount {
  readonly sent_elsewhere: number
  readonly created_at: number
  readonly send_at: number | null
}

/** What one event adds; undefined if nothing, as with all that the account sent from another client. */
export function countsOf(
  { type, data }: EventToCount,
  message: MessageToCount | undefined,
): Counts | undefined {
  const name = countedAs[type]
  if (name === undefined || message?.sent_elsewhere === 1) return undefined
  if (!message || (name !== 'sent' && name !== 'delivered')) return { [name]: 1 }
  const at: number | undefined = JSON.parse(data)[`${name}_at`]
  if (at === undefined) return { [name]: 1 }
  const due = Math.max(message.created_at, message.send_at ?? 0)
  return { [name]: 1, [`to_${name}`]: { [bucketOf(at - due)]: 1 } }
}

/** The sum of two counts. */
export function sumOf(
  { to_sent = {}, to_delivered = {}, ...some }: Counts,
  { to_sent: toSent = {}, to_delivered: toDelivered = {}, ...others }: Counts,
): Counts {
  const counts = { to_sent: added(to_sent, toSent), to_delivered: added(to_delivered, toDelivered) }
  return { ...added(some, others), ...counts }
}

function added(
  some: Readonly<Record<string, number>>,
  others: Readonly<Record<string, number>>,
): Record<string, number> {
  const sum = { ...some }
  for (const [name, count] of Object.entries(others)) sum[name] = (sum[name] ?? 0) + count
  return sum
}
