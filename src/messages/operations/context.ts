import type { QuotaNotices } from '../../events/quota-notices.ts'
import type { FileIntake } from '../../media/file-quota.ts'
import type { Media } from '../../media/media.ts'
import type { OutboundGuard } from '../../net/guard/guard.ts'
import type { Networks } from '../../networks/driver/registry.ts'
import type { QuotaUsage } from '../../organizations/usage.ts'
import type { Changes } from '../../runtime/changes.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { FairSemaphore } from '../../runtime/limits/fair-semaphore.ts'
import type { StoreForAll } from '../../store/store.ts'
import type { RunningInstances } from '../files/fetcher.ts'
import type { FileFetchers } from '../files/file-fetchers.ts'
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
  /** Fetches the files of messages. */
  readonly fileFetchers: FileFetchers
  /** Turns for the reads of searches, organization by organization. */
  readonly searches: Pick<FairSemaphore, 'run'>
  /** Unsettled messages that one instance may have; null for any number. */
  readonly queueLimit: number | null
  /** The limits of organizations. */
  readonly quotas: QuotaUsage
  /** Tells an organization that a message was turned away because of a quota. */
  readonly notices: Pick<QuotaNotices, 'refused'>
  readonly messageChanges: Changes
  readonly supervisor: RunningInstances
  readonly metrics: {
    /** Counts a message, with the seconds that it took to accept it. */
    accepted(seconds: number): void
  }
}
