import type { QuotaName } from '../../contract/statuses.ts'
import type { FileIntake } from '../../media/file-quota.ts'
import type { Media } from '../../media/media.ts'
import type { OutboundGuard } from '../../net/guard/guard.ts'
import type { DriverConnection } from '../../networks/driver/connection.ts'
import type { Networks } from '../../networks/driver/registry.ts'
import type { QuotaUsage } from '../../organizations/usage.ts'
import type { Changes } from '../../runtime/changes.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { FairSemaphore } from '../../runtime/limits/fair-semaphore.ts'
import type { StoreForAll } from '../../store/store.ts'
import type { Senders } from '../outbox/accept/sender-cache.ts'

/** The parts that the operations on messages are made from. */
export interface MessageOperationsContext {
  readonly store: StoreForAll
  readonly clock: Clock
  readonly networks: Networks
  readonly senders: Senders
  /** Stores the files. */
  readonly media: Media
  readonly intake: Pick<FileIntake, 'reserve'>
  /** The guard for the URLs of files that callers send. */
  readonly fetchGuard: OutboundGuard
  /** Removes the files that were released; never rejects. */
  readonly forgetFiles: () => Promise<void>
  /** Called when a message was accepted whose file has to be fetched. */
  readonly fetchFiles: () => void
  /** Turns for the reads of searches, organization by organization. */
  readonly searches: Pick<FairSemaphore, 'run'>
  /** Unsettled messages that one instance may have; null for any number. */
  readonly queueLimit: number | null
  /** The limits of organizations. */
  readonly quotas: QuotaUsage
  /** Called when a message is turned away because of a quota. */
  readonly onRefused: (organizationId: string, quota: QuotaName) => void
  readonly messageChanges: Changes
  /** Called when a message was accepted: its instance has something to send. */
  readonly wake: (instanceId: string) => void
  /** The connection of an instance; undefined while it is not open. */
  readonly connectionOf: (instanceId: string) => DriverConnection | undefined
  /** Called with the time that it took to accept a message, in seconds. */
  readonly onAccepted: (seconds: number) => void
}
