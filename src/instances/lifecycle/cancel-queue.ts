import { discardQueue } from '../../messages/outbox/sweep/sweep.ts'
import type { InstanceContext } from '../context.ts'

type Context = Pick<InstanceContext, 'store' | 'clock' | 'messageChanges' | 'forgetFiles'>

const discardedAtOnce = 200

/** Cancels the queued messages of an instance that is being removed, and wakes those who wait for them. */
export async function cancelQueue(
  { store, clock, messageChanges, forgetFiles }: Context,
  instanceId: string,
): Promise<void> {
  for (;;) {
    const part = { instanceId, now: clock.now(), limit: discardedAtOnce }
    const { ids, more } = await store.transact(discardQueue, part)
    for (const id of ids) messageChanges.notify(id)
    if (ids.length > 0) forgetFiles()
    if (!more) return
  }
}
