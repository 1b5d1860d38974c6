import type { Generated } from 'kysely'
import type { Role } from '../contract/operation.ts'
import type { EventType } from '../contract/resources/event.ts'
import type { InstanceStatus } from '../contract/resources/instance.ts'
import type { MessageDirection, MessageKind, MessageStatus } from '../contract/resources/message.ts'
import type { WebhookOrdering } from '../contract/resources/webhook.ts'
import type { DeliveryStatus } from '../contract/statuses.ts'

/*
 * The tables. One spelling serves SQLite and PostgreSQL: moments are milliseconds since the epoch in 64-bit integers,
 * flags are 0 or 1, structured values are JSON text, sealed values are bytes.
 */
export interface Schema {
  service: ServiceTable
  organizations: OrganizationsTable
  api_keys: ApiKeysTable
  instances: InstancesTable
  instance_labels: InstanceLabelsTable
  messages: MessagesTable
  message_index: MessageIndexTable
  message_files: MessageFilesTable
  media: MediaTable
  media_uses: MediaUsesTable
  small_files: SmallFilesTable
  media_chunks: MediaChunksTable
  idempotency: IdempotencyTable
  events: EventsTable
  epoch_starts: EpochStartsTable
  webhooks: WebhooksTable
  deliveries: DeliveriesTable
  delivery_attempts: DeliveryAttemptsTable
  audit: AuditTable
}

/** Facts about the service itself, by name: the check value of the master key, the lease of the serving process. */
interface ServiceTable {
  name: string
  value: string
}

interface OrganizationsTable {
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
  /** The number of its last entry in the audit log. */
  last_audit: Generated<number>
  /** The bytes of its files, each of them counted once. */
  file_bytes: Generated<number>
  /** Its messages that are queued or being sent. */
  unsettled_messages: Generated<number>
  /** Its messages that came in; one with a long text counts several times. */
  incoming_messages: Generated<number>
}

interface ApiKeysTable {
  id: string
  organization_id: string
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

/** What keys and the operator did, of each organization in its order. */
interface AuditTable {
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
  /** What it was done to: an id, or a name. */
  target: string | null
  instance_name: string | null
  /** `done`, or the code of the problem that it was refused with. */
  result: string
  address: string | null
  request_id: string | null
}

/** What somebody wants of an instance; what is observed of it stands in `status`. */
export type Wanted = 'running' | 'stopped' | 'removed'

export interface InstancesTable {
  id: string
  organization_id: string
  name: string
  network: string
  wanted: Wanted
  status: InstanceStatus
  status_since: number
  reason: string | null
  link: Uint8Array | null
  restriction: string | null
  account: string | null
  /** Which account its settings name, in the one spelling of its network: no other instance of its organization has the same. */
  account_key: string | null
  settings: string
  credentials: Uint8Array
  metadata: string
  /** The same as events refer to it; null if there are no labels. */
  labels_id: number | null
  /** How many messages are queued or being sent; held by the transactions that change it. */
  queue_depth: Generated<number>
  next_attempt_at: number | null
  connected_at: number | null
  last_verified_at: number | null
  /**
   * The point up to which its incoming messages are stored without a gap: the network id of the last one, and a moment. Both
   * are null until it has caught up for the first time.
   */
  caught_up_mark: string | null
  caught_up_at: number | null
  created_at: number
  updated_at: number
}

/** The labels of instances, which are kept until the last event of their messages is gone. */
interface InstanceLabelsTable {
  id: Generated<number>
  /** JSON text. */
  metadata: string
  /** Since when no event refers to it; null while one may. */
  retired_at: number | null
}

export interface MessagesTable {
  /** The order of acceptance. */
  seq: Generated<number>
  id: string
  organization_id: string
  instance_id: string
  instance_name: string
  direction: Generated<MessageDirection>
  /** Who wrote a message that was received. */
  sender: string | null
  /** The id that the writer of a message that was received gave it, by which later ones refer to it. */
  sender_message_id: string | null
  /** The subject of one that was received; JSON of what it refers to, and of why it cannot be read, as they are published. */
  subject: string | null
  relation: string | null
  unsupported: string | null
  /** The address of the account that received it, if it is known. */
  account: string | null
  /** The address of the conversation: for a message that is sent, of its recipient. */
  recipient: string
  kind: MessageKind
  status: MessageStatus
  text: string | null
  /** The id that the network gave the message; null for one that goes by our own id there (`messages/network-id.ts`). */
  network_message_id: string | null
  client_ref: string | null
  metadata: string | null
  error: string | null
  attempts: Generated<number>
  created_at: number
  send_at: number | null
  expires_at: number
  sent_at: number | null
  delivered_at: number | null
  read_at: number | null
  /** The time of its last event; 0 while it has none. */
  last_event_at: Generated<number>
  /** 1 once an attempt ended without an answer: from then on nobody may say that the message was not sent. */
  uncertain: Generated<number>
  /*
   * What an unsettled message waits for. It is the first of these that applies: the end of its attempt (`underway`); the
   * operator (`held`); its file (`awaits_file`); a time (`due_at`); an earlier message to the same recipient (`leads_lane` is
   * 0); else its place in the queue of its instance (`queue_position`), which moves while the instance is connected.
   */
  /** 1 while an attempt is under way. */
  underway: Generated<number>
  /** 1 while it waits for the operator: the store went back to a backup, and nobody knows whether it was sent since. */
  held: Generated<number>
  /** 1 while its file is being fetched. */
  awaits_file: Generated<number>
  /** When a message that is scheduled for later joins the lane of its recipient; 0 once it has, as most do at once. */
  joins_lane_at: Generated<number>
  /** 1 for the message of its lane that is sent next, or is being sent; the others wait. Means nothing once it is settled. */
  leads_lane: Generated<number>
  /** Its position in the queue of its instance, counted up. The lowest is sent next. Null while it waits for anything else. */
  queue_position: number | null
  /** When it joins its lane, if it is scheduled for later, or is tried again. Null while it waits for no time. */
  due_at: number | null
}

/** The index of lists of messages, in blocks of messages (docs/decisions/0013). */
interface MessageIndexTable {
  /** A number of blocks of consecutive messages. */
  block: number
  /** A digest of something that lists ask for, as of a conversation or an instance. */
  key: number
  /** The message that has it. */
  seq: number
}

/** The file of a media message: how it was described, and what is known once it is stored. */
export interface MessageFilesTable {
  message_id: string
  organization_id: string
  /** That of its message. */
  direction: Generated<MessageDirection>
  /** The URL to fetch it from; null if it was uploaded, and once the fetch is over. */
  url: string | null
  /** When to fetch it; null once it was fetched, or cannot be. */
  fetch_at: number | null
  fetch_attempts: Generated<number>
  /** 1 for audio to send as a voice note. */
  voice: number
  filename: string | null
  /** The media type that its network names for a file to fetch. It is not trusted. */
  declared_type: string | null
  media_id: string | null
  mime_type: string | null
  size: number | null
  sha256: string | null
}

/** The files of messages, without their bytes. The same bytes are one file of an organization. */
interface MediaTable {
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
  /** Until when the messages that used it keep it; 0 if none did. */
  kept_until: Generated<number>
  /** Until when it is held for the message that will use it; 0 once that does. */
  held_until: Generated<number>
}

/** Which unsettled message uses which file. */
interface MediaUsesTable {
  message_id: string
  media_id: string
}

/** The bytes of small files. */
interface SmallFilesTable {
  media_id: string
  bytes: Uint8Array
}

/** The bytes of larger files, if they are stored in PostgreSQL; SQLite has no such table. */
interface MediaChunksTable {
  media_id: string
  /** The offset of these bytes in the file. */
  start: number
  bytes: Uint8Array
}

interface IdempotencyTable {
  organization_id: string
  operation: string
  key: string
  fingerprint: string
  status: number
  location: string | null
  body: string
  created_at: number
}

/**
 * The journal: what happened, in the order of storing. Rows never change. An event of a message relies on the row of the
 * message: it holds only what can change about it, as it was then.
 */
interface EventsTable {
  organization_id: string
  /** The order in the organization, without gaps. */
  sequence: number
  /** The history in which it was appended: with it, a number names one event for good. */
  epoch: Generated<string>
  type: EventType
  /** The name of the instance that it is about. */
  instance_name: string | null
  created_at: number
  /** The message that it is about. */
  message_seq: number | null
  /** The labels of the instance of that message, as they were then; null if there were none. */
  labels_id: number | null
  /** How the event is made of `data`: an event has the same bytes for ever, whatever later versions add to events. */
  format: Generated<number>
  /** JSON text: the data of the event; of a message, what can change about it. */
  data: string
}

/** Where an epoch of an organization's events begins: whenever the store went back to a backup. */
interface EpochStartsTable {
  organization_id: string
  epoch: string
  /** The epoch that it continues. */
  previous: string
  /** The number of the last event that both share. */
  began_after: number
  began_at: number
}

export interface WebhooksTable {
  id: string
  organization_id: string
  url: string
  /** The types of the events that it gets, as JSON text; null for all. */
  event_types: string | null
  /** The names of the instances whose events it gets, as JSON text; null for all. */
  instance_names: string | null
  ordering: WebhookOrdering
  enabled: number
  /** 1 while it gets nothing, and its deliveries are kept for later. */
  paused: Generated<number>
  /** How many events are sent to it at a time, at most. */
  batch: Generated<number>
  /** Batches whose ids are before this one are no longer sent, as they were made for another order; null for none. */
  batches_since: string | null
  /** How many deliveries are pending; held by the transactions that change it. */
  pending: Generated<number>
  /** Since when it is known to lag; null while it does not. */
  lagging_since: number | null
  /** Why it was disabled, if somebody else than its owner did; JSON text. */
  disabled_reason: string | null
  /** Sealed. The one before is used beside it until its time is over. */
  secret: Uint8Array
  previous_secret: Uint8Array | null
  previous_secret_until: number | null
  /** Since when no attempt succeeded; null if the last one did. */
  failing_since: number | null
  /** It gets the events after this one. */
  begins_after: number
  created_at: number
  updated_at: number
}

/** One event for one webhook. */
interface DeliveriesTable {
  seq: Generated<number>
  id: string
  organization_id: string
  webhook_id: string
  /** The number of the event in the organization. */
  event_sequence: number
  event_id: string
  event_type: EventType
  instance_name: string | null
  status: DeliveryStatus
  attempts: Generated<number>
  /** How many of them were made before its batch was last split: the schedule of attempts starts anew after them. */
  schedule_from: Generated<number>
  /**
   * When the next attempt is made; null while an earlier delivery must come first, and once it is settled. In a batch, the
   * first of it has the time of all.
   */
  next_attempt_at: number | null
  /** The batch that it is sent with, from before the first attempt of that batch. */
  batch_id: string | null
  created_at: number
  settled_at: number | null
}

interface DeliveryAttemptsTable {
  delivery_seq: number
  /** Counted from 1. */
  number: number
  /** The batch that was sent; null if the event was sent alone. */
  batch_id: string | null
  started_at: number
  /** In milliseconds. */
  duration: number
  /** The HTTP status of the answer; null if none came. */
  status_code: number | null
  /** Why no answer came, as JSON text. */
  error: string | null
  /** The beginning of the answer. */
  body: string | null
}
