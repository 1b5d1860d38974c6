import type { DispatchContext } from '../../messages/outbox/dispatch/dispatch.ts'
import type { Changes } from '../../runtime/changes.ts'
import type { Shares } from '../../runtime/limits/share.ts'
import type { CallbackDeliveryContext } from '../callbacks/callback-delivery.ts'
import type { InstanceConnectionsContext } from '../connection/connections.ts'
import type { IncomingContext } from '../reports/incoming-buffer.ts'

/** Parts that all runners of a node share. */
export interface RunnerContext
  extends DispatchContext,
    InstanceConnectionsContext,
    IncomingContext,
    Omit<CallbackDeliveryContext, 'incomingCapacity'> {
  /** Called after each commit that changed an instance. */
  readonly changes: Changes
  readonly shares: Shares
  readonly erased: (instanceId: string) => void
  /** Called when files may have become unused. */
  readonly forgetFiles: () => void
}
