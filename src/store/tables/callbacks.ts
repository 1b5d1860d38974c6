import type { Generated } from 'kysely'

/** Callbacks that networks posted and that are not handled yet. */
export interface CallbacksTable {
  /** The order in which they came. It may be used again once a callback is gone. */
  seq: Generated<number>
  id: string
  organization_id: string
  instance_id: string
  received_at: number
  /** As it came. */
  body: Uint8Array
  /** Bytes that it counts for in the quotas. */
  size: number
}

/** Parts of callbacks that are stored, and that their network will repeat nevertheless. */
export interface KeptPartsTable {
  seq: Generated<number>
  instance_id: string
  digest: string
  kept_at: number
}
