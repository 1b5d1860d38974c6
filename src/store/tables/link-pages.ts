import { bigint, bytes, nullable, textColumn } from './columns.ts'

export const linkPageTables = {
  /** Pages on which a visitor without a key may link the account of one instance. They are not backed up. */
  link_pages: {
    id: textColumn(),
    /** SHA-256 of the whole token, in hexadecimal. The token itself is nowhere. */
    digest: textColumn(),
    organization_id: textColumn(),
    instance_id: textColumn(),
    /** The key that made it, and with which it ends. */
    key_id: textColumn(),
    created_at: bigint(),
    expires_at: bigint(),
    /** When the account was linked: from then on the page only says so, until it expires. */
    linked_at: nullable(bigint()),
    title: nullable(textColumn()),
    language: nullable(textColumn()),
    /** The media type of `picture`. Both are there, or none. */
    picture_type: nullable(textColumn()),
    /** Of the business. */
    picture: nullable(bytes()),
  },
}
