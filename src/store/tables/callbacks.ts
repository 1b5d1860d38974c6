import { bigint, bytes, sequence, textColumn } from './columns.ts'

export const callbackTables = {
  /** Callbacks that networks posted and that are not handled yet. */
  callbacks: {
    /** The order in which they came. It may be used again once a callback is gone. */
    seq: sequence(),
    id: textColumn(),
    organization_id: textColumn(),
    instance_id: textColumn(),
    received_at: bigint(),
    /** As it came. */
    body: bytes(),
    /** Bytes that it counts for in the quotas. */
    size: bigint(),
  },
  /** Parts of callbacks that are stored, and that their network will repeat nevertheless. */
  kept_parts: {
    seq: sequence(),
    instance_id: textColumn(),
    digest: textColumn(),
    kept_at: bigint(),
  },
}
