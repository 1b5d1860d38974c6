import { type Receipt, type Return, recordReceipt, recordReturn } from '../messages/receipts.ts'
import type { Observation } from '../networks/observation.ts'
import type { Alarms } from '../runtime/alarms.ts'
import type { Changes } from '../runtime/changes.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import { type Store, StoreUnavailable } from '../store/store.ts'

type MessageObservation = Extract<Observation, { kind: 'receipt' | 'message-returned' | 'message-received' }>

interface Context {
  readonly store: Store
  readonly clock: Clock
  readonly alarms: Pick<Alarms, 'in'>
  readonly log: Log
  readonly messageChanges: Changes
}

/** How long to wait before an observation is kept again after the store failed, in milliseconds, and how often that is done. */
const storeRetry = 1_000
const keptAgainAtMost = 60

/**
 * Keeps what the network showed about messages of an instance; `settled` is told where that may have freed a lane. The
 * network says it once, so an observation outlasts a store that fails for a while.
 */
export function recordMessageObservation(
  context: Context,
  instanceId: string,
  observation: MessageObservation,
  settled: () => void,
): void {
  const { store, clock, alarms, log, messageChanges } = context
  const facts = { instanceId, at: clock.now() }
  const record = (left: number): void => {
    keep(store, facts, observation).then(
      (changed) => {
        if (changed === null) return
        messageChanges.tell(changed)
        settled()
      },
      (error) => {
        if (error instanceof StoreUnavailable && left > 0) alarms.in(storeRetry, () => record(left - 1))
        else
          log.error(
            { err: error, instance_id: instanceId },
            'an observation about a message could not be kept',
          )
      },
    )
  }
  record(keptAgainAtMost)
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
      return store.transact(recordReturn, { instanceId, networkMessageId, from, error, at } satisfies Return)
    }
    case 'message-received':
      // What arrives is not kept yet: there is no operation by which a caller could read it.
      return Promise.resolve(null)
  }
}
