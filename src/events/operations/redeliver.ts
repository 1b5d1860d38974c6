import { handler } from '../../contract/handler.ts'
import { redeliver as operation } from '../../contract/operations/webhook-operations.ts'
import { Problem } from '../../contract/problem.ts'
import type { EventContext } from '../context.ts'
import { redeliver as deliverAgain } from '../delivery/queue/redelivery.ts'

export const redeliver = ({ store, clock, deliverer }: EventContext) =>
  handler(operation, async ({ caller, params, audit, turn }) => {
    const redelivered = await store.transact(
      deliverAgain,
      {
        organization: caller.organizationId,
        webhook: params.webhook,
        id: params.delivery,
        now: clock.now(),
        audit: audit(),
      },
      turn,
    )
    if (redelivered.kind === 'not_found') throw new Problem('delivery_not_found')
    if (redelivered.kind === 'not_enabled') throw new Problem('webhook_not_enabled')
    if (redelivered.kind === 'event_forgotten') throw new Problem('event_forgotten')
    deliverer.deliver(caller.organizationId)
    const { delivery } = redelivered
    const headers = { location: `/v1/webhooks/${params.webhook}/deliveries/${delivery.id}` }
    return { status: 202, body: delivery, headers }
  })
