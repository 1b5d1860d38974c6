import type { Readiness } from '../contract/operations/service-operations.ts'
import type { Deliverer } from '../events/delivery/deliverer/deliverer.ts'
import type { QuotaNotices } from '../events/quota-notices.ts'
import type { WebhookSecrets } from '../events/webhook-secrets.ts'
import type { CallbackTokens } from '../instances/callbacks/callback-tokens.ts'
import type { InstanceSecrets } from '../instances/credentials.ts'
import type { Supervisor } from '../instances/lifecycle/supervisor.ts'
import type { IncomingCapacity } from '../instances/reports/incoming-capacity.ts'
import type { FileIntake } from '../media/file-quota.ts'
import type { Media } from '../media/media.ts'
import type { FileFetchers } from '../messages/files/file-fetchers.ts'
import type { Names } from '../net/resolve/names.ts'
import type { Networks } from '../networks/driver/registry.ts'
import type { KeyRing } from '../organizations/key-ring.ts'
import type { Sessions } from '../organizations/sessions.ts'
import type { Quotas } from '../organizations/usage.ts'
import type { Changes } from '../runtime/changes.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Config } from '../runtime/config/config.ts'
import type { Log } from '../runtime/log.ts'
import type { Alarms } from '../runtime/timers/alarms.ts'
import type { Store, StoreForAll } from '../store/store.ts'

/** What the parts of a server share. */
export interface Shared {
  readonly config: Config
  readonly log: Log
  readonly store: StoreForAll
  readonly media: Media
  readonly networks: Networks
  readonly clock: Clock
  readonly alarms: Alarms
  /** What names that somebody else chose are looked up with. */
  readonly names: Names
  readonly secrets: InstanceSecrets
  readonly callbackTokens: CallbackTokens
  /** Wake those who wait for a message, or for an instance. */
  readonly messageChanges: Changes
  readonly instanceChanges: Changes
  /** Wake those who wait for the events of an organization. */
  readonly eventChanges: Changes
  /** Wake those who wait for a delivery. */
  readonly deliveryChanges: Changes
  readonly webhookSecrets: WebhookSecrets
  readonly keyRing: KeyRing
  readonly sessions: Sessions
}

/** The same for a part of the server that works for all organizations, and has turns of its own at the store. */
export interface SharedByPart extends Shared {
  readonly store: Store
}

/** What only the running server knows. */
export interface RunningState {
  readonly readiness: () => Promise<Readiness>
  /** Aborts when the server begins to stop. */
  readonly stopping: AbortSignal
}

/** What works beside the requests. */
export interface Works {
  readonly supervisor: Supervisor
  readonly fileFetchers: FileFetchers
  readonly deliverer: Deliverer
}

/** What holds organizations to their quotas, and tells them of it. */
export interface Bounds {
  readonly quotas: Quotas
  readonly notices: QuotaNotices
  readonly intake: FileIntake
  readonly incomingCapacity: IncomingCapacity
}
