import type { QuotaName } from '../../contract/statuses.ts'
import type { Networks } from '../../networks/driver/registry.ts'
import type { WaitingCalls } from '../../store/store.ts'
import type { ConnectionCounts } from '../connections/connections.ts'

/** Sources that the gauges read when the metrics are requested. */
export interface MetricsSources {
  /** The networks of this build, with the counts that they keep. */
  readonly networks: Networks
  /** The versions of this build and its Node, and the kind of its store. */
  readonly build: Readonly<Record<'version' | 'node' | 'store', string>>
  /** Resolves with the bytes of the disk of the data folder; undefined while it cannot be read. */
  disk(): Promise<Readonly<Record<'free' | 'size', number>> | undefined>
  /** Resolves with when a backup last succeeded, in milliseconds since the epoch; null if none has. */
  lastBackupAt(): Promise<number | null>
  connections(): ConnectionCounts
  instancesByStatus(): ReadonlyMap<string, number>
  /** Returns the attempts under way to deliver an event to a webhook. */
  webhookAttempts(): number
  /** Returns the files that are being fetched: those that callers send, and those that were received. */
  fileFetches(): Readonly<Record<'sent' | 'received', number>>
  /** Returns the voice notes that are being converted, and those that wait for it. */
  voiceConversions(): Readonly<Record<'running' | 'waiting', number>>
  /** Returns the host names that are being looked up, those that wait for it, and those that were refused so far. */
  nameLookUps(): Readonly<Record<'underway' | 'waiting' | 'refused', number>>
  /** Returns whether this node is trusted (0 or 1), the number of its duties, and that of the nodes that run. */
  nodes(): Readonly<Record<'trusted' | 'duties' | 'running', number>>
  /** Returns the bytes that are held for connections to networks. */
  connectionMemory(): number
  /** Returns the calls that wait for their turn at the store. */
  storeWaiting(): WaitingCalls
  /** Returns the bytes of responses that callers have asked for and not read, and the responses that wait for room. */
  responses(): Readonly<Record<'withKey' | 'withoutKey' | 'waiting', number>>
  /** Resolves with the deliveries that wait for webhooks that are enabled and not paused. */
  webhookBacklog(): Promise<{ readonly depth: number; readonly oldestAgeSeconds: number }>
  /** Resolves with the webhooks that Posthorn disabled, and those that fail: for less than an hour, and for longer. */
  webhooks(): Promise<Readonly<Record<'disabled' | 'failing' | 'failingLong', number>>>
  /** Resolves with the callbacks from networks that are not handled yet. */
  callbacks(): Promise<{ readonly count: number; readonly bytes: number }>
  queue(): Promise<Readonly<Record<'depth' | 'held' | 'oldestAgeSeconds' | 'overdueSeconds', number>>>
  /**
   * Resolves with the use of each quota by all organizations together, and the organizations that have nothing left of it.
   */
  usage(): Promise<Readonly<Record<'totals' | 'exhausted', Readonly<Record<QuotaName, number>>>>>
}
