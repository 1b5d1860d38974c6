import type { EventType } from '../../contract/resources/event.ts'
import type { CountName } from '../../contract/statuses.ts'
import { type Buckets, bucketOf } from './latency.ts'

/** The counts of an interval; those that are zero are left out. */
export interface EventCounts extends Partial<Readonly<Record<CountName, number>>> {
  readonly to_sent?: Buckets
  readonly to_delivered?: Buckets
  /** Messages that failed, by the network and the code of their error (`errorName`). */
  readonly failed_with?: Readonly<Record<string, number>>
}

/** Errors that are told apart in the counts of an interval; messages that failed with any other count as `other`. */
const maxErrors = 40
export const otherErrors = 'other'

/** The count that each event adds to. No other event is a step of a message. */
export const countedAs: Partial<Readonly<Record<EventType, CountName>>> = {
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

/** An event, as far as counting needs it. */
export interface EventToCount {
  readonly type: EventType
  readonly data: DataToCount
}

interface DataToCount {
  /** JSON text. */
  readonly error?: string
  readonly sent_at?: number
  readonly delivered_at?: number
  readonly had_left?: 1
  readonly undecryptable?: 1
}

const nothing: DataToCount = {}

/** Parses the data of an event, of JSON text, if counting needs any of it. Those that messages begin with are the most frequent, and need none. */
export function eventToCount({
  type,
  data,
}: {
  readonly type: EventType
  readonly data: string
}): EventToCount {
  const name = countedAs[type]
  return { type, data: name === undefined || name === 'accepted' ? nothing : JSON.parse(data) }
}

/** The columns that counting needs from the message of an event. */
export interface MessageToCount {
  readonly sent_elsewhere: number
  readonly created_at: number
  readonly send_at: number | null
}

/**
 * Returns the counts that one event adds; undefined if none, as with all that the account sent from another client, and
 * received messages that cannot be read.
 */
export function countsOf(
  { type, data }: EventToCount,
  message: MessageToCount | undefined,
  network?: string,
): EventCounts | undefined {
  const name = countedAs[type]
  if (name === undefined || message?.sent_elsewhere === 1) return undefined
  if (name === 'received' && data.undecryptable === 1) return undefined
  if (name === 'failed') return { failed: 1, failed_with: { [errorName(data, network)]: 1 } }
  if (!message || (name !== 'sent' && name !== 'delivered')) return { [name]: 1 }
  const latency = latencyIn(data, name, message)
  if (latency === undefined) return { [name]: 1 }
  return { [name]: 1, [`to_${name}`]: { [bucketOf(latency)]: 1 } }
}

/** Returns the name under which an error counts: its code after its network, because two networks may mean different things by one. */
function errorName({ error }: DataToCount, network = ''): string {
  const code: unknown = error === undefined ? undefined : JSON.parse(error).code
  return typeof code === 'string' && /^[a-z][a-z0-9_]*$/.test(code) ? `${network}:${code}` : otherErrors
}

/** Returns the network and the code of an error that was counted; no network if its instance was gone by then. */
export function countedError(name: string): { readonly network: string | null; readonly code: string } {
  const [first = '', code] = name.split(':')
  return code === undefined ? { network: null, code: first } : { network: first || null, code }
}

/** Returns the milliseconds from when a message was due until it was sent or delivered; undefined if its event does not say when. */
export function latencyIn(
  data: DataToCount,
  name: 'sent' | 'delivered',
  { created_at, send_at }: Omit<MessageToCount, 'sent_elsewhere'>,
): number | undefined {
  const at = data[`${name}_at`]
  return at === undefined ? undefined : at - Math.max(created_at, send_at ?? 0)
}

/** The counts of events by which a message leaves the queue, unless it had left before. */
export const settledCounts = ['sent', 'failed', 'expired', 'canceled', 'unknown'] as const
export type SettledCount = (typeof settledCounts)[number]

const leaving: ReadonlySet<CountName | undefined> = new Set(settledCounts)

/** Returns the change that one event makes to the number of messages in the queue. */
export function queueChangeOf({ type, data }: EventToCount): -1 | 0 | 1 {
  const name = countedAs[type]
  if (name === 'accepted') return 1
  if (!leaving.has(name)) return 0
  return data.had_left === 1 ? 0 : -1
}

/**
 * True if counting an event takes its message. The events with which messages begin in Posthorn are counted as they are, and
 * are the most frequent.
 */
export function needsMessage({ type }: Pick<EventToCount, 'type'>): boolean {
  return countedAs[type] !== undefined && type !== 'message.queued' && type !== 'message.received'
}

/** The sum of two counts. */
export function sumOf(some: EventCounts, others: EventCounts): EventCounts {
  const sum: EventCounts = { to_sent: {}, to_delivered: {} }
  addTo(sum, some)
  addTo(sum, others)
  return sum
}

type Numbers = Record<string, number>

/** Adds to counts of one's own that have both latencies, as `sumOf` makes them: a batch of events makes no object for each. */
export function addTo(
  sum: EventCounts,
  { to_sent = {}, to_delivered = {}, failed_with, ...others }: EventCounts,
): void {
  addNumbers(sum as unknown as Numbers, others)
  addNumbers(sum.to_sent as Numbers, to_sent)
  addNumbers(sum.to_delivered as Numbers, to_delivered)
  if (failed_with) addErrors(sum, failed_with)
}

function addErrors(sum: { failed_with?: Readonly<Numbers> }, errors: Readonly<Numbers>): void {
  const all: Numbers = { ...sum.failed_with }
  for (const [code, count] of Object.entries(errors)) {
    const isKnown = Object.hasOwn(all, code)
    const name = isKnown || Object.keys(all).length < maxErrors ? code : otherErrors
    all[name] = (Object.hasOwn(all, name) ? (all[name] ?? 0) : 0) + count
  }
  sum.failed_with = all
}

function addNumbers(sum: Numbers, others: Readonly<Numbers>): void {
  for (const name in others) sum[name] = (sum[name] ?? 0) + (others[name] ?? 0)
}
