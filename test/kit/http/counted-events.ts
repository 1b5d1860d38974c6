import assert from 'node:assert/strict'
import type { QueryOf } from '../../../src/contract/operation.ts'
import { getStatistics, type Latency } from '../../../src/contract/operations/statistics-operations.ts'
import type { Event, MessageEventData } from '../../../src/contract/resources/event.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import { eventually } from '../play.ts'
import type { CheckedClient } from './checked-client.ts'

/* The judge of statistics: it counts the events that others saw, and knows nothing of how the server counts. */

const names = {
  'message.queued': 'accepted',
  'message.sent': 'sent',
  'message.delivered': 'delivered',
  'message.read': 'read',
  'message.failed': 'failed',
  'message.expired': 'expired',
  'message.canceled': 'canceled',
  'message.unknown': 'unknown',
  'message.received': 'received',
} as const
type Counted = (typeof names)[keyof typeof names]
export type Numbers = Readonly<Record<Counted, number>>

const nothing = Object.fromEntries(Object.values(names).map((name) => [name, 0])) as Numbers

/** Counts of these events, by the hour or the day as RFC 3339 begins it. */
interface Count {
  readonly numbers: Numbers
  readonly secondsToSent: readonly number[]
  readonly secondsToDelivered: readonly number[]
}

function countOf(events: readonly Event[]): Count {
  const numbers: Record<Counted, number> = { ...nothing }
  const seconds: Record<'sent' | 'delivered', number[]> = { sent: [], delivered: [] }
  for (const { type, data } of events) {
    if (!(type in names)) continue
    const { message } = data as MessageEventData
    if (message.origin === 'elsewhere') continue
    numbers[names[type as keyof typeof names]]++
    if (type === 'message.sent') seconds.sent.push(...secondsTo(message, message.sent_at))
    if (type === 'message.delivered') seconds.delivered.push(...secondsTo(message, message.delivered_at))
  }
  return { numbers, secondsToSent: seconds.sent, secondsToDelivered: seconds.delivered }
}

function secondsTo({ created_at, send_at }: Message, at: string | null): number[] {
  if (at === null) return []
  const due = Math.max(Date.parse(created_at), send_at === null ? 0 : Date.parse(send_at))
  return [Math.max(0, Date.parse(at) - due) / 1000]
}

/** The statistics, once nothing is missing in them that is in these events. */
export async function statisticsOf(
  client: CheckedClient,
  events: readonly Event[],
  query: QueryOf<typeof getStatistics> = {},
) {
  const { numbers } = countOf(events)
  const read = async () => (await client.call(getStatistics, { query })).body
  return eventually('everything to be counted', read, ({ data }) =>
    Object.values(names).every((name) => data.reduce((sum, one) => sum + one[name], 0) >= numbers[name]),
  )
}

/** Asserts that the statistics say the same as these events, interval by interval; returns all their numbers together. */
export async function assertCounted(
  client: CheckedClient,
  events: readonly Event[],
  query: QueryOf<typeof getStatistics> = {},
): Promise<Numbers> {
  const { data, totals, interval, from, to } = await statisticsOf(client, events, query)
  const waiting = waitingAfter(events)
  const length = { minute: 16, hour: 13, day: 10 }[interval]
  const expected = Map.groupBy(events, ({ timestamp }) => timestamp.slice(0, length))
  const step = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }[interval]
  assert.equal(data.length, (Date.parse(to) - Date.parse(from)) / step)
  for (const [index, { from: begin, queue_depth, to_sent, to_delivered, ...numbers }] of data.entries()) {
    assert.equal(Date.parse(begin), Date.parse(from) + index * step)
    const { secondsToSent, secondsToDelivered, ...count } = countOf(
      expected.get(begin.slice(0, length)) ?? [],
    )
    assert.deepEqual(numbers, count.numbers, begin)
    const end = new Date(Date.parse(begin) + step).toISOString()
    assert.equal(queue_depth, waiting.findLast(({ at }) => at < end)?.waiting ?? 0, begin)
    assertLatency(to_sent, secondsToSent)
    assertLatency(to_delivered, secondsToDelivered)
  }
  const all = countOf(events)
  const { failures, to_sent, to_delivered, ...numbers } = totals
  assert.deepEqual(numbers, all.numbers)
  assertLatency(to_sent, all.secondsToSent)
  assertLatency(to_delivered, all.secondsToDelivered)
  assert.deepEqual(Object.fromEntries(failures.map(({ code, count }) => [code, count])), errorsOf(events))
  return all.numbers
}

function errorsOf(events: readonly Event[]): Record<string, number> {
  const failed = events.filter(({ type }) => type === 'message.failed')
  const codes = Map.groupBy(failed, ({ data }) => (data as MessageEventData).message.error?.code ?? 'other')
  return Object.fromEntries([...codes].map(([code, some]) => [code, some.length]))
}

/** Counts the messages that were accepted and had no end yet, after each of these events. */
function waitingAfter(events: readonly Event[]): { at: string; waiting: number }[] {
  const waiting = new Set<string>()
  // Some webhooks get their events in no order.
  const inOrder = events.toSorted((one, other) => one.sequence - other.sequence)
  return inOrder.map(({ type, timestamp, data }) => {
    if (type === 'message.queued') waiting.add((data as MessageEventData).message.id)
    else if (type in names) waiting.delete((data as MessageEventData).message.id)
    return { at: timestamp, waiting: waiting.size }
  })
}

/** Asserts that an estimate is at most 10 % off, as the contract says. */
function assertLatency(latency: Latency, seconds: readonly number[]): void {
  assert.equal(latency.count, seconds.length)
  const sorted = seconds.toSorted((a, b) => a - b)
  for (const part of [50, 95, 99] as const) {
    const exact = sorted[Math.ceil((part / 100) * sorted.length) - 1]
    const estimate = latency[`p${part}_seconds`]
    if (exact === undefined) assert.equal(estimate, null)
    else
      assert.ok(estimate !== null && Math.abs(estimate - exact) <= exact * 0.1, `${estimate}, not ${exact}`)
  }
}
