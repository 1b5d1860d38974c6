/** Pages on which a visitor without a key may link the account of one instance. They are not backed up. */
export interface LinkPagesTable {
  id: string
  /** SHA-256 of the whole token, in hexadecimal. The token itself is nowhere. */
  digest: string
  organization_id: string
  instance_id: string
  /** The key that made it, and with which it ends. */
  key_id: string
  created_at: number
  expires_at: number
  /** When the account was linked: from then on the page only says so, until it expires. */
  linked_at: number | null
  title: string | null
  language: string | null
  /** The media type of `picture`. Both are there, or none. */
  picture_type: string | null
  /** Of the business. */
  picture: Uint8Array | null
}
