import type { Media } from '../../media/media.ts'
import type { Quotas } from '../../organizations/usage.ts'
import type { Changes } from '../../runtime/changes.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Store } from '../../store/store.ts'
import type { Senders } from '../sender.ts'

/** What the operations on messages are made from. */
export interface MessageOperationsContext {
  readonly store: Store
  readonly clock: Clock
  readonly senders: Senders
  /** How files come in, and where they are kept. */
  readonly media: Media
  /** Told when a message was accepted whose file is to be fetched. */
  readonly fetchFiles: () => void
  /** Unsettled messages that one instance may have; null for any number. */
  readonly queueLimit: number | null
  /** What the organization may use. */
  readonly quotas: Quotas
  readonly messageChanges: Changes
  /** Told when a message was accepted: its instance has something to send. */
  readonly wake: (instanceId: string) => void
  /** Told how long it took to accept a message, in seconds. */
  readonly onAccepted: (seconds: number) => void
}
