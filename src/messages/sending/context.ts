import type { QuotaNotices } from '../../events/quota-notices.ts'
import type { OutboundGuard } from '../../net/guard/guard.ts'
import type { MarkRead, ReceivedName } from '../../networks/driver/abilities/reading.ts'
import type { QuotaUsage } from '../../organizations/usage.ts'
import type { FairSemaphore } from '../../runtime/limits/fair-semaphore.ts'
import type { StoreForAll } from '../../store/store.ts'
import type { FileParts, RunningInstances } from '../files/fetcher.ts'
import type { Senders } from '../outbox/accept/sender-cache.ts'
import type { TemplateCategories } from './template-categories.ts'

/** Has the runner of an instance tell its network that a message was read, on whichever node it runs. */
interface ReadMarking {
  ask(
    instance: string,
    task: 'mark-read',
    message: ReceivedName,
    signal: AbortSignal,
  ): Promise<Awaited<ReturnType<MarkRead>> | { readonly kind: 'not-supported' | 'not-connected' } | undefined>
}

/** Has the runner of an instance forget the pictures that it has found. */
interface PictureForgetting {
  ask(instance: string, task: 'forget-pictures', nothing: null, signal: AbortSignal): Promise<unknown>
}

/** The parts that the operations on messages are made from. */
export interface MessageOperationsContext
  extends Pick<FileParts, 'clock' | 'networks' | 'media' | 'intake' | 'messageChanges' | 'filesToFetch'> {
  readonly supervisor: RunningInstances & ReadMarking & PictureForgetting
  readonly store: StoreForAll
  readonly senders: Senders
  /** The guard for the URLs of files that callers send. */
  readonly fetchGuard: OutboundGuard
  /** Turns for the reads of searches, organization by organization. */
  readonly searches: Pick<FairSemaphore, 'run'>
  /** Turns of requests with several messages, organization by organization. */
  readonly batches: Pick<FairSemaphore, 'run'>
  /** Unsettled messages that one instance may have; null for any number. */
  readonly queueLimit: number | null
  /** The limits of organizations. */
  readonly quotas: QuotaUsage
  /** Tells an organization that a message was turned away because of a quota. */
  readonly notices: Pick<QuotaNotices, 'refused'>
  /** Keeps marketing from people who want none. */
  readonly templateCategories: Pick<TemplateCategories, 'admit'>
  readonly metrics: {
    /** Counts a message, with the seconds that it took to accept it. */
    accepted(seconds: number): void
  }
}
