import { bigint, bytes, nullable, orElse, textColumn } from './columns.ts'

export const mediaTables = {
  /** The files of messages, without their bytes. The same bytes are one file of an organization. */
  media: {
    /** Its bytes are stored under this name. */
    id: textColumn(),
    organization_id: textColumn(),
    /** In hexadecimal. */
    sha256: textColumn(),
    /** In bytes. */
    size: bigint(),
    created_at: bigint(),
    /** When it may be removed; null for as long as a message uses it. */
    expires_at: nullable(bigint()),
    /** Time until which the messages that used it keep it; 0 if none did. */
    kept_until: orElse(bigint(), 0),
    /** Time until which it is held for the message that will use it; 0 once that does. */
    held_until: orElse(bigint(), 0),
  },
  /** Files that unsettled messages use. */
  media_uses: {
    message_id: textColumn(),
    media_id: textColumn(),
  },
  /** The bytes of small files. */
  small_files: {
    media_id: textColumn(),
    bytes: bytes(),
  },
  /** The bytes of larger files, if they are stored in PostgreSQL; SQLite has no such table. */
  media_chunks: {
    media_id: textColumn(),
    /** The offset of these bytes in the file. */
    start: bigint(),
    bytes: bytes(),
  },
}
