import type { Generated } from 'kysely'
import type { Role } from '../../contract/operation.ts'

/** Facts about the service itself, by name: the check value of the master key, the lease of the serving process. */
export interface ServiceTable {
  name: string
  value: string
}

export interface OrganizationsTable {
  id: string
  name: string
  created_at: number
  /** That of the events that are appended. */
  epoch: Generated<string>
  /** The number of its last event. */
  last_event: Generated<number>
  /** When that was, or 0. */
  last_event_at: Generated<number>
  /** The number of the last event that was fanned out to its webhooks. */
  last_fanned_out: Generated<number>
  /** The number of the last event that is counted in `statistics`. */
  last_counted: Generated<number>
  /** The number of its last entry in the audit log. */
  last_audit: Generated<number>
  /** The bytes of its files, each of them counted once. */
  file_bytes: Generated<number>
  /** Bytes of the messages that it had sent: the sum of their `stored_bytes`. */
  stored_bytes: Generated<number>
  /** Its messages that are queued or being sent. */
  unsettled_messages: Generated<number>
  /** Its messages that came in; one with a long text counts several times. */
  incoming_messages: Generated<number>
  /** Number of rows in `callbacks`, and their bytes, for all of its instances. */
  waiting_callbacks: Generated<number>
  waiting_callback_bytes: Generated<number>
  /** Number of rows in `contact_addresses` for all of its instances. */
  contact_addresses: Generated<number>
}

export interface ApiKeysTable {
  id: string
  organization_id: string
  /** The name that people gave it. */
  name: string | null
  /** SHA-256 of the whole key, in hexadecimal. The key itself is nowhere. */
  digest: string
  /** The first characters after the prefix, by which people tell keys apart. */
  hint: string
  role: Role
  created_at: number
  revoked_at: number | null
  expires_at: number | null
  /** The names of the instances that it sees and uses, as JSON text; null for all. */
  instance_names: string | null
  /** To the hour. */
  last_used_at: number | null
}

/** Actions of keys and of the operator, of each organization in its order. */
export interface AuditTable {
  /** The order over all organizations. */
  seq: Generated<number>
  organization_id: string
  /** The order in the organization, without gaps. */
  number: number
  id: string
  created_at: number
  /** The key that did it, and its first characters; null if it was the operator. */
  key_id: string | null
  key_hint: string | null
  action: string
  /** The object of the action: an id, or a name. */
  target: string | null
  instance_name: string | null
  /** `done`, or the code of the problem that it was refused with. */
  result: string
  address: string | null
  request_id: string | null
}

export interface IdempotencyTable {
  organization_id: string
  operation: string
  key: string
  fingerprint: string
  status: number
  location: string | null
  body: string
  created_at: number
}
