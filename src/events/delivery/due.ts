import type { Selectable } from 'kysely'
import type { WebhooksTable } from '../../store/schema.ts'

export type StoredWebhook = Selectable<WebhooksTable>

/** What is under way for a webhook, and how many attempts may be. */
export interface LaneState {
  readonly webhook: string
  /** Of a batch, the first delivery. */
  readonly underway: readonly { readonly seq: number; readonly instance: string | null }[]
  /** How many attempts may be under way where its receiver is well; where it is failing, it is one. */
  readonly width: number
}

/** What a claim reads of a delivery. */
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

/** What one attempt sends: a delivery alone, or a batch. */
export interface DueUnit {
  /** In the order in which they are sent. */
  readonly rows: readonly [DueRow, ...DueRow[]]
  readonly batch: string | null
}

/** Whether everything that is due is sent to a webhook. To others only tests are. */
export function isServed({ enabled, paused }: Pick<StoredWebhook, 'enabled' | 'paused'>): boolean {
  return enabled === 1 && paused === 0
}
