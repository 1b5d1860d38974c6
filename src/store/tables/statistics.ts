import type { Generated } from 'kysely'

/** What counts are kept for: an hour of UTC, and a day. */
export type Span = 'hour' | 'day'

/** What happened to the messages of an organization in an hour or a day. */
export interface StatisticsTable {
  organization_id: string
  span: Span
  /** The name of the instance; empty for all instances together. */
  instance_name: string
  /** When the hour or the day began. */
  starts_at: number
  /** In the row for all instances: how many instances have a row of their own in this hour or day. */
  instances: Generated<number>
  /** JSON text: how often each thing happened, and how many latencies fell into each bucket; what is 0 is left out. */
  counts: string
}
