import type { Readiness } from '../contract/operations/service-operations.ts'
import type { Deliverer } from '../events/delivery/deliverer/deliverer.ts'
import type { RenderMessageEvent } from '../events/event.ts'
import type { TypingNotices } from '../events/live/typing-notices.ts'
import type { QuotaNotices } from '../events/quota-notices.ts'
import type { EventCounter } from '../events/statistics/event-counter.ts'
import type { WebhookSecrets } from '../events/webhook-secrets.ts'
import type { CallbackTokens } from '../instances/callbacks/callback-tokens.ts'
import type { InstanceSecrets } from '../instances/credentials.ts'
import type { Supervisor } from '../instances/lifecycle/supervisor.ts'
import type { IncomingCapacity } from '../instances/reports/incoming-capacity.ts'
import type { FileIntake } from '../media/file-quota.ts'
import type { Media } from '../media/media.ts'
import type { FileFetchers } from '../messages/files/file-fetchers.ts'
import type { NameResolver } from '../net/resolve/names.ts'
import type { Networks } from '../networks/driver/registry.ts'
import type { Duties } from '../nodes/duties.ts'
import type { NodeLease } from '../nodes/node-lease.ts'
import type { OtherNodes } from '../nodes/other-nodes.ts'
import type { Peers } from '../nodes/peers.ts'
import type { KeyRing } from '../organizations/key-ring.ts'
import type { SessionStore } from '../organizations/sessions.ts'
import type { QuotaUsage } from '../organizations/usage.ts'
import type { Changes } from '../runtime/changes.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Config } from '../runtime/config/config.ts'
import type { Log } from '../runtime/log.ts'
import type { Alarms } from '../runtime/timers/alarms.ts'
import type { Metrics } from '../server/metrics/metrics.ts'
import type { StoreForAll } from '../store/store.ts'

/** The values that the parts of a server share, made once at its start. */
export interface AppContext {
  readonly config: Config
  readonly log: Log
  readonly store: StoreForAll
  /** The node that this process runs. */
  readonly node: NodeLease
  /** The other nodes, as this one sees them, and as it tells and asks them. */
  readonly peers: Peers
  readonly otherNodes: OtherNodes
  /** The work for all that this node does. */
  readonly duties: Duties
  readonly media: Media
  readonly networks: Networks
  readonly clock: Clock
  readonly alarms: Alarms
  /** Looks up the names of hosts that callers and networks choose. */
  readonly names: NameResolver
  readonly secrets: InstanceSecrets
  readonly callbackTokens: CallbackTokens
  /** Wake the requests that wait for a message, or for an instance. */
  readonly messageChanges: Changes
  readonly instanceChanges: Changes
  /** Wakes the fetchers of files, by the direction of a message. */
  readonly filesToFetch: Changes
  /** Wake the requests and streams that wait for the events of an organization. */
  readonly eventChanges: Changes
  /** Brings those who type to the streams that ask for them. */
  readonly typingNotices: TypingNotices
  /** Wake the requests that wait for a delivery. */
  readonly deliveryChanges: Changes
  readonly webhookSecrets: WebhookSecrets
  /** Renders the events of messages, which the events cannot know. */
  readonly renderMessage: RenderMessageEvent
  readonly keyRing: KeyRing
  readonly sessions: SessionStore
  readonly metrics: Metrics
  /** The quotas of each organization. */
  readonly quotas: QuotaUsage
  /** Tells organizations that they reached a quota. */
  readonly notices: QuotaNotices
  /** Hold organizations to their quotas of files and of incoming messages. */
  readonly intake: FileIntake
  readonly incomingCapacity: IncomingCapacity
}

/** The state of the running server. */
export interface RunningState {
  readonly readiness: () => Promise<Readiness>
  /** Returns the seconds that the last write took that was made to try the store; null before the first. */
  readonly writeSeconds: () => number | null
  /** Aborts when the server begins to stop. */
  readonly stopping: AbortSignal
}

/** The parts that work beside the requests. */
export interface BackgroundWorkers {
  readonly supervisor: Supervisor
  readonly fileFetchers: FileFetchers
  readonly deliverer: Deliverer
  readonly eventCounter: EventCounter
}
