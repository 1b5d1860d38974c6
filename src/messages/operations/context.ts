import type { QuotaName } from '../../contract/statuses.ts'
import type { FileIntake } from '../../media/file-quota.ts'
import type { Media } from '../../media/media.ts'
import type { Quotas } from '../../organizations/usage.ts'
import type { Changes } from '../../runtime/changes.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Store } from '../../store/store.ts'
import type { Senders } from '../outbox/sender-cache.ts'

/** What the operations on messages are made from. */
export interface MessageOperationsContext {
  readonly store: Store
  readonly clock: Clock
  readonly senders: Senders
  /** Where files are kept. */
  readonly media: Media
  readonly intake: Pick<FileIntake, 'reserve'>
  /** Removes the files that were let go of; never rejects. */
  readonly forgetFiles: () => Promise<void>
  /** Told when a message was accepted whose file is to be fetched. */
  readonly fetchFiles: () => void
  /** Unsettled messages that one instance may have; null for any number. */
  readonly queueLimit: number | null
  /** What the organization may use. */
  readonly quotas: Quotas
  /** Told when a message is turned away because of a quota. */
  readonly onRefused: (organizationId: string, quota: QuotaName) => void
  readonly messageChanges: Changes
  /** Told when a message was accepted: its instance has something to send. */
  readonly wake: (instanceId: string) => void
  /** Told how long it took to accept a message, in seconds. */
  readonly onAccepted: (seconds: number) => void
}
