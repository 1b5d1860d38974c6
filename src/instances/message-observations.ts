import { type Receipt, type Return, recordReceipt, recordReturn } from '../messages/receipts.ts'
import type { Observation } from '../networks/observation.ts'
import type { Changes } from '../runtime/changes.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { Store } from '../store/store.ts'

type MessageObservation = Extract<Observation, { kind: 'receipt' | 'message-returned' | 'message-received' }>

interface Context {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly messageChanges: Changes
}

/** Keeps what the network showed about messages of an instance. */
export function recordMessageObservation(
  context: Context,
  instanceId: string,
  observation: MessageObservation,
): void {
  const { store, log, messageChanges } = context
  const kept = keep(store, { instanceId, at: context.clock.now() }, observation)
  kept.then(
    (changed) => {
      if (changed !== null) messageChanges.tell(changed)
    },
    (error) =>
      log.error({ err: error, instance_id: instanceId }, 'an observation about a message could not be kept'),
  )
}

/** The id of the message that changed, or null. */
function keep(
  store: Store,
  { instanceId, at }: { instanceId: string; at: number },
  observation: MessageObservation,
): Promise<string | null> {
  switch (observation.kind) {
    case 'receipt': {
      const { network_message_id: networkMessageId, from, state } = observation
      return store.transact(recordReceipt, {
        instanceId,
        networkMessageId,
        from,
        state,
        at,
      } satisfies Receipt)
    }
    case 'message-returned': {
      const { network_message_id: networkMessageId, from, error } = observation
      return store.transact(recordReturn, { instanceId, networkMessageId, from, error } satisfies Return)
    }
    case 'message-received':
      // What arrives is not kept yet: there is no operation by which a caller could read it.
      return Promise.resolve(null)
  }
}
