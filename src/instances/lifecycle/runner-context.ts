import type { Verdict } from '../../messages/outbox/queue/verdict.ts'
import type { Handling } from '../callbacks/callback-delivery.ts'
import type { CallbackUrls } from '../callbacks/callback-urls.ts'
import type { Admission } from '../connection/admission.ts'
import type { InstanceContext } from '../context.ts'
import type { IncomingCapacity } from '../reports/incoming-capacity.ts'

/** Parts that all runners of a node share. */
export interface RunnerContext extends InstanceContext {
  readonly admission: Pick<Admission, 'ask' | 'withdraw'>
  readonly callbackUrls: Pick<CallbackUrls, 'of' | 'isAbandoned'>
  /** The room that the organizations of instances have. */
  readonly incomingCapacity: IncomingCapacity
  readonly metrics: {
    attempted(verdict: Verdict): void
    /** Counts that a connected instance ceased to be, with the code of the reason. */
    disconnected(network: string, reason: string | undefined): void
    countCallbacks(handling: Handling, count: number): void
  }
  readonly erased: (instanceId: string) => void
  /** Called when an instance has lost its account to another. */
  readonly accountLost: (instanceId: string) => void
}
