import type { Role } from '../../contract/operation.ts'
import { bigint, integer, nullable, orElse, sequence, textColumn } from './columns.ts'

export const organizationTables = {
  /** Facts about the service itself, by name: the check value of the master key, the lease of the serving process. */
  service: {
    name: textColumn(),
    value: textColumn(),
  },
  organizations: {
    id: textColumn(),
    name: textColumn(),
    created_at: bigint(),
    /** That of the events that are appended. */
    epoch: orElse(textColumn(), ''),
    /** The number of its last event. */
    last_event: orElse(bigint(), 0),
    /** When that was, or 0. */
    last_event_at: orElse(bigint(), 0),
    /** The number of the last event that was fanned out to its webhooks. */
    last_fanned_out: orElse(bigint(), 0),
    /** The number of the last event that is counted in `statistics`. */
    last_counted: orElse(bigint(), 0),
    /** The number of its last entry in the audit log. */
    last_audit: orElse(bigint(), 0),
    /** The bytes of its files, each of them counted once. */
    file_bytes: orElse(bigint(), 0),
    /** Bytes of the messages that it had sent: the sum of their `stored_bytes`. */
    stored_bytes: orElse(bigint(), 0),
    /** Its messages that are queued or being sent. */
    unsettled_messages: orElse(bigint(), 0),
    /** Its messages that came in; one with a long text counts several times. */
    incoming_messages: orElse(bigint(), 0),
    /** Number of rows in `callbacks`, and their bytes, for all of its instances. */
    waiting_callbacks: orElse(bigint(), 0),
    waiting_callback_bytes: orElse(bigint(), 0),
    /** Number of rows in `contact_addresses` for all of its instances. */
    contact_addresses: orElse(bigint(), 0),
    /** JSON of the words about marketing of its instances that have none of their own; null if the operator set none. */
    marketing_defaults: nullable(textColumn()),
  },
  api_keys: {
    id: textColumn(),
    organization_id: textColumn(),
    /** The name that people gave it. */
    name: nullable(textColumn()),
    /** SHA-256 of the whole key, in hexadecimal. The key itself is nowhere. */
    digest: textColumn(),
    /** The first characters after the prefix, by which people tell keys apart. */
    hint: textColumn(),
    role: textColumn<Role>(),
    created_at: bigint(),
    revoked_at: nullable(bigint()),
    expires_at: nullable(bigint()),
    /** The names of the instances that it sees and uses, as JSON text; null for all. */
    instance_names: nullable(textColumn()),
    /** To the hour. */
    last_used_at: nullable(bigint()),
  },
  /** Actions of keys and of the operator, of each organization in its order. */
  audit: {
    /** The order over all organizations. */
    seq: sequence(),
    organization_id: textColumn(),
    /** The order in the organization, without gaps. */
    number: bigint(),
    id: textColumn(),
    created_at: bigint(),
    /** The key that did it, and its first characters; null if it was the operator. */
    key_id: nullable(textColumn()),
    key_hint: nullable(textColumn()),
    action: textColumn(),
    /** The object of the action: an id, or a name. */
    target: nullable(textColumn()),
    instance_name: nullable(textColumn()),
    /** `done`, or the code of the problem that it was refused with. */
    result: textColumn(),
    address: nullable(textColumn()),
    request_id: nullable(textColumn()),
  },
  idempotency: {
    organization_id: textColumn(),
    operation: textColumn(),
    key: textColumn(),
    fingerprint: textColumn(),
    status: integer(),
    location: nullable(textColumn()),
    body: textColumn(),
    created_at: bigint(),
  },
}
