import type { Latency } from '../../contract/operations/statistics-operations.ts'

/** Number of latencies in each bucket, by the number of the bucket. */
export type Buckets = Readonly<Record<string, number>>

/** Number of buckets for each doubling: the ends of one are 19 % apart. */
const perDoubling = 4
/** Everything from 49 days on is in the last one. */
const last = 32 * perDoubling

/** The bucket of a latency in milliseconds: 0 for less than one, else from 1 on. */
export function bucketOf(milliseconds: number): number {
  return milliseconds < 1 ? 0 : 1 + Math.min(Math.floor(Math.log2(milliseconds) * perDoubling), last)
}

/** Returns the milliseconds that a bucket stands for: its geometric middle, at most 9.1 % from everything in it. */
export function middleOf(bucket: number): number {
  return bucket === 0 ? 0 : 2 ** ((bucket - 0.5) / perDoubling)
}

/** The quantiles of the latencies in these buckets, as an estimate. */
export function latencyOf(buckets: Buckets): Latency {
  const filled = Object.entries(buckets)
    .map(([bucket, count]) => ({ bucket: Number(bucket), count }))
    .toSorted((a, b) => a.bucket - b.bucket)
  const count = filled.reduce((sum, one) => sum + one.count, 0)
  const secondsAt = (part: number): number | null => {
    let rank = Math.ceil(part * count)
    const bucket = filled.find((one) => {
      rank -= one.count
      return rank <= 0
    })
    return bucket ? Number((middleOf(bucket.bucket) / 1000).toPrecision(3)) : null
  }
  return { count, p50_seconds: secondsAt(0.5), p95_seconds: secondsAt(0.95), p99_seconds: secondsAt(0.99) }
}
