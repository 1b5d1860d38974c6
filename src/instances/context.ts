import type { TypingNotices } from '../events/live/typing-notices.ts'
import type { DispatchContext } from '../messages/outbox/dispatch/dispatch.ts'
import type { HttpClients } from '../net/http/client.ts'
import type { Networks } from '../networks/driver/registry.ts'
import type { Changes } from '../runtime/changes.ts'
import type { FairSemaphore } from '../runtime/limits/fair-semaphore.ts'
import type { Shares } from '../runtime/limits/share.ts'
import type { InstanceSecrets } from './credentials.ts'

/** The parts of the server that instances are run with; each part of this folder takes those that it uses. */
export interface InstanceContext extends DispatchContext {
  readonly networks: Networks
  readonly secrets: InstanceSecrets
  readonly http: HttpClients
  readonly shares: Shares
  /** Notified after each commit that changed an instance. */
  readonly instanceChanges: Changes
  /** Notified, with the direction of its message, after the commit of each file to fetch. */
  readonly filesToFetch: Pick<Changes, 'notify'>
  /** Called when files may have become unused. */
  readonly forgetFiles: () => void
  /** Tells callers of those who type. */
  readonly typingNotices: Pick<TypingNotices, 'seen' | 'isWanted'>
  /** Keys that one instance may have. */
  readonly keyLimit: number
  /** Turns of large sets of keys, so that others wait for one of them at most. A party is an organization. */
  readonly keyTurns: Pick<FairSemaphore, 'run'>
  /** Limits how many instances handle callbacks at once, by organization, and so the memory of what is read of them. */
  readonly callbackTurns: FairSemaphore
}
