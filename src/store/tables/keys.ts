/** Data that the protocols of networks with many keys keep for an instance, row by row: sessions, prekeys and the like. */
export interface NetworkKeysTable {
  instance_id: string
  /** The driver's own words. */
  type: string
  id: string
  /** Sealed. */
  value: Uint8Array
  /** When it may be forgotten; null if never. */
  expires_at: number | null
}
