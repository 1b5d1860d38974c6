import { type Call, handler } from '../../contract/handler.ts'
import { redeliverEvents as operation } from '../../contract/operations/webhook-operations.ts'
import { Problem } from '../../contract/problem.ts'
import { momentOf, timestamp } from '../../runtime/clock.ts'
import type { StoreForAll } from '../../store/store.ts'
import type { EventContext } from '../context.ts'
import {
  redeliverEvents as deliverAgain,
  type NextEvents,
  type RedeliveryArgs,
  type RedeliveryBegun,
} from '../delivery/queue/redelivery.ts'

/** The most events that one request looks through, and how many each transaction does. */
const eventsAtMost = 100_000
const eventsAtOnce = 500

export const redeliverEvents = ({ store, clock, deliverer }: EventContext) =>
  handler(operation, async ({ caller, params, body, signal, audit, turn }) => {
    const now = clock.now()
    const begun = await deliverAll(
      store,
      { turn, signal },
      {
        organization: caller.organizationId,
        webhook: params.webhook,
        since: momentOf(body.since),
        until: body.until === undefined ? now : momentOf(body.until),
        missing: body.which !== 'all',
        limit: eventsAtOnce,
        now,
        audit: audit(),
      },
    )
    deliverer.deliver(caller.organizationId)
    return {
      status: 202,
      body: { deliveries: begun.deliveries, next_since: timestamp(begun.next?.since ?? null) },
    }
  })

/** Works in parts, so that others do not wait long. */
async function deliverAll(
  store: StoreForAll,
  { turn, signal }: Pick<Call<typeof operation>, 'turn' | 'signal'>,
  asked: Omit<RedeliveryArgs, 'after'>,
): Promise<RedeliveryBegun> {
  const all = { deliveries: 0, next: null as NextEvents | null }
  for (let looked = 0; looked < eventsAtMost && !signal.aborted; looked += eventsAtOnce) {
    const audit = all.deliveries === 0 ? asked.audit : undefined
    const begun = await store.transact(
      deliverAgain,
      { ...asked, audit, after: all.next?.after ?? null },
      turn,
    )
    if (begun === 'not_found') throw new Problem('webhook_not_found')
    if (begun === 'not_enabled') throw new Problem('webhook_not_enabled')
    all.deliveries += begun.deliveries
    all.next = begun.next
    if (!begun.next) break
  }
  return all
}
