import type { CallbacksTable, KeptPartsTable } from './tables/callbacks.ts'
import type { ContactAddressesTable } from './tables/contacts.ts'
import type { EpochStartsTable, EventsTable } from './tables/events.ts'
import type { InstanceLabelsTable, InstancesTable } from './tables/instances.ts'
import type { NetworkKeysTable } from './tables/keys.ts'
import type { LinkPagesTable } from './tables/link-pages.ts'
import type { MediaChunksTable, MediaTable, MediaUsesTable, SmallFilesTable } from './tables/media.ts'
import type {
  ConversationsTable,
  MessageAttemptsTable,
  MessageFilesTable,
  MessageIndexTable,
  MessagesTable,
} from './tables/messages.ts'
import type {
  ApiKeysTable,
  AuditTable,
  IdempotencyTable,
  OrganizationsTable,
  ServiceTable,
} from './tables/organizations.ts'
import type { SessionsTable, SignInCodesTable } from './tables/sessions.ts'
import type { QueueDepthsTable, StatisticsTable } from './tables/statistics.ts'
import type { DeliveriesTable, DeliveryAttemptsTable, WebhooksTable } from './tables/webhooks.ts'

/*
 * The tables. One spelling serves SQLite and PostgreSQL: moments are milliseconds since the epoch in 64-bit integers,
 * flags are 0 or 1, structured values are JSON text, sealed values are bytes.
 */
export interface Schema {
  service: ServiceTable
  organizations: OrganizationsTable
  api_keys: ApiKeysTable
  sessions: SessionsTable
  sign_in_codes: SignInCodesTable
  instances: InstancesTable
  instance_labels: InstanceLabelsTable
  callbacks: CallbacksTable
  kept_parts: KeptPartsTable
  contact_addresses: ContactAddressesTable
  network_keys: NetworkKeysTable
  link_pages: LinkPagesTable
  messages: MessagesTable
  message_attempts: MessageAttemptsTable
  message_index: MessageIndexTable
  conversations: ConversationsTable
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
  statistics: StatisticsTable
  queue_depths: QueueDepthsTable
}
