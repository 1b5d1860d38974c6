import type { Generated } from 'kysely'

/** What networks posted and nobody handled yet. */
export interface CallbacksTable {
  /** The order in which they came. It may be used again once a callback is gone. */
  seq: Generated<number>
  id: string
  organization_id: string
  instance_id: string
  received_at: number
  /** As it came. */
  body: Uint8Array
  /** What it counts for in the quotas, in bytes. */
  size: number
}

/** Parts of callbacks that are stored, and that their network will repeat nevertheless. */
export interface KeptPartsTable {
  seq: Generated<number>
  instance_id: string
  digest: string
  kept_at: number
}
