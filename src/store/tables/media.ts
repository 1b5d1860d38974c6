import type { Generated } from 'kysely'

/** The files of messages, without their bytes. The same bytes are one file of an organization. */
export interface MediaTable {
  /** Its bytes are stored under this name. */
  id: string
  organization_id: string
  /** In hexadecimal. */
  sha256: string
  /** In bytes. */
  size: number
  created_at: number
  /** When it may be removed; null for as long as a message uses it. */
  expires_at: number | null
  /** Time until which the messages that used it keep it; 0 if none did. */
  kept_until: Generated<number>
  /** Time until which it is held for the message that will use it; 0 once that does. */
  held_until: Generated<number>
}

/** Files that unsettled messages use. */
export interface MediaUsesTable {
  message_id: string
  media_id: string
}

/** The bytes of small files. */
export interface SmallFilesTable {
  media_id: string
  bytes: Uint8Array
}

/** The bytes of larger files, if they are stored in PostgreSQL; SQLite has no such table. */
export interface MediaChunksTable {
  media_id: string
  /** The offset of these bytes in the file. */
  start: number
  bytes: Uint8Array
}
