import type { Generated } from 'kysely'

/** Spans that counts are kept for: an hour of UTC, and a day. */
export type Span = 'hour' | 'day'

/** Counts of what happened to the messages of an organization in an hour or a day. */
export interface StatisticsTable {
  organization_id: string
  span: Span
  /** The name of the instance; empty for all instances together. */
  instance_name: string
  /** When the hour or the day began. */
  starts_at: number
  /** In the row for all instances: how many instances have a row of their own in this hour or day. */
  instances: Generated<number>
  /** Number of messages in the queue before the first event that is counted in it, and after the last. */
  queue_before: Generated<number>
  queue_after: Generated<number>
  /** JSON text: how often each thing happened, and how many latencies fell into each bucket; what is 0 is left out. */
  counts: string
}

/** Numbers of messages in the queues of an organization after the last event that is counted. An empty queue has no row. */
export interface QueueDepthsTable {
  organization_id: string
  /** The name of the instance; empty for all instances together. */
  instance_name: string
  depth: number
}
