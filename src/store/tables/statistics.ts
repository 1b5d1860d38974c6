import { bigint, integer, orElse, textColumn } from './columns.ts'

/** Spans that counts are kept for: a minute, an hour and a day of UTC. */
export type Span = 'minute' | 'hour' | 'day'

export const statisticsTables = {
  /** Counts of what happened to the messages of an organization in a minute, an hour or a day. */
  statistics: {
    organization_id: textColumn(),
    span: textColumn<Span>(),
    /** The name of the instance; empty for all instances together. */
    instance_name: textColumn(),
    /** When the hour or the day began; for a minute, much less (`storedStart`). */
    starts_at: bigint(),
    /** In the row for all instances: how many instances have a row of their own in this span. */
    instances: orElse(integer(), 0),
    /** Number of messages in the queue before the first event that is counted in it, and after the last. */
    queue_before: orElse(bigint(), 0),
    queue_after: orElse(bigint(), 0),
    /** JSON text: how often each thing happened, and how many latencies fell into each bucket, how many failed with each error; what is 0 is left out. */
    counts: textColumn(),
  },
  /** Numbers of messages in the queues of an organization after the last event that is counted. An empty queue has no row. */
  queue_depths: {
    organization_id: textColumn(),
    /** The name of the instance; empty for all instances together. */
    instance_name: textColumn(),
    depth: bigint(),
  },
}
