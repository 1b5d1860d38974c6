import type { HttpClients } from '../net/http/client.ts'
import type { Changes } from '../runtime/changes.ts'
import type { Clock } from '../runtime/clock.ts'
import type { FairSemaphore } from '../runtime/limits/fair-semaphore.ts'
import type { Shares } from '../runtime/limits/share.ts'
import type { Log } from '../runtime/log.ts'
import type { Alarms } from '../runtime/timers/alarms.ts'
import type { Store } from '../store/store.ts'
import type { InstanceSecrets } from './credentials.ts'

/** The parts of the server that instances are run with; each part of this folder takes those that it uses. */
export interface InstanceContext {
  /** In the turns of the organization of the instance. */
  readonly store: Store
  readonly secrets: InstanceSecrets
  readonly http: HttpClients
  readonly clock: Clock
  readonly alarms: Pick<Alarms, 'in' | 'at'>
  readonly random: () => number
  readonly log: Log
  readonly shares: Shares
  /** Called after each commit that changed an instance. */
  readonly changes: Changes
  /** Called after the commit with each message that changed. */
  readonly messageChanges: Changes
  /** Called when a message with a file to fetch was stored. */
  readonly fetchFiles: () => void
  /** Called when files may have become unused. */
  readonly forgetFiles: () => void
  /** Keys that one instance may have. */
  readonly keyLimit: number
  /** Turns of large sets of keys, so that others wait for one of them at most. A party is an organization. */
  readonly keyTurns: Pick<FairSemaphore, 'run'>
  /** Limits how many instances handle callbacks at once, by organization, and so the memory of what is read of them. */
  readonly callbackTurns: FairSemaphore
}
