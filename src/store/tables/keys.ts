import { bigint, bytes, nullable, textColumn } from './columns.ts'

export const networkKeyTables = {
  /** Data that the protocols of networks with many keys keep for an instance, row by row: sessions, prekeys and the like. */
  network_keys: {
    instance_id: textColumn(),
    /** The driver's own words. */
    type: textColumn(),
    id: textColumn(),
    /** Sealed. */
    value: bytes(),
    /** When it may be forgotten; null if never. */
    expires_at: nullable(bigint()),
  },
}
