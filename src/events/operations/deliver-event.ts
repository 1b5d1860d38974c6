import { handler } from '../../contract/handler.ts'
import { deliverEvent as operation } from '../../contract/operations/webhook-operations.ts'
import { Problem } from '../../contract/problem.ts'
import type { EventContext } from '../context.ts'
import { deliverEvent as deliver } from '../delivery/queue/redelivery.ts'

export const deliverEvent = ({ store, clock, deliverer }: EventContext) =>
  handler(operation, async ({ caller, params, body, audit, turn }) => {
    const { organizationId: organization } = caller
    const wanted = {
      organization,
      webhook: params.webhook,
      event: body.event,
      now: clock.now(),
      audit: audit(),
    }
    const delivered = await store.transact(deliver, wanted, turn)
    if (delivered.kind === 'not_found') throw new Problem('webhook_not_found')
    if (delivered.kind === 'not_enabled') throw new Problem('webhook_not_enabled')
    if (delivered.kind === 'event_forgotten') throw new Problem('event_not_found')
    deliverer.deliver(organization)
    const { delivery } = delivered
    const headers = { location: `/v1/webhooks/${params.webhook}/deliveries/${delivery.id}` }
    return { status: 202, body: delivery, headers }
  })
