import type { RowOf } from '../../../store/schema.ts'

export type StoredWebhook = RowOf<'webhooks'>

/** The attempts under way for a webhook, and how many there may be. */
export interface LaneState {
  readonly webhook: string
  /** The deliveries under way, of a batch the first. */
  readonly underway: readonly { readonly seq: number; readonly instance: string | null }[]
  /** The most attempts that may be under way while the receiver is healthy; while it fails, only one may. */
  readonly width: number
}

/** The columns of a delivery that a claim reads. */
export const dueColumns = [
  'seq',
  'id',
  'event_sequence',
  'instance_name',
  'attempts',
  'schedule_from',
  'next_attempt_at',
  'batch_id',
] as const

/** A delivery that may be sent now. */
export interface DueRow {
  readonly seq: number
  readonly id: string
  readonly event_sequence: number
  readonly instance_name: string | null
  readonly attempts: number
  readonly schedule_from: number
  readonly next_attempt_at: number | null
  readonly batch_id: string | null
}

/** The deliveries that one attempt sends: one alone, or a batch. */
export interface DueUnit {
  /** In the order in which they are sent. */
  readonly rows: readonly [DueRow, ...DueRow[]]
  readonly batch: string | null
}

/** True if due deliveries are sent to a webhook. If not, only tests are. */
export function isServed({ enabled, paused }: Pick<StoredWebhook, 'enabled' | 'paused'>): boolean {
  return enabled === 1 && paused === 0
}
