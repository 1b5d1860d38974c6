import { handler } from '../../contract/handler.ts'
import { testWebhook as operation } from '../../contract/operations/webhook-operations.ts'
import { Problem } from '../../contract/problem.ts'
import type { EventContext } from '../context.ts'
import { findDelivery } from '../delivery/queue/delivery-record.ts'
import { testWebhook as give } from '../webhook-store.ts'

export const testWebhook = ({ store, clock, deliverer, deliveryChanges }: EventContext) =>
  handler(operation, async (call) => {
    const organization = call.caller.organizationId
    const webhook = call.params.webhook
    const given = await store.transact(
      give,
      {
        organization,
        id: webhook,
        now: clock.now(),
        audit: call.audit(),
      },
      call.turn,
    )
    if (!given) throw new Problem('webhook_not_found')
    deliverer.deliver(organization)
    const { id } = given
    const headers = { location: `/v1/webhooks/${webhook}/deliveries/${id}` }
    if (call.waitMs === 0) return { status: 202, body: given, headers }
    const wait = { ms: call.waitMs, signal: call.signal }
    const read = () => store.read(findDelivery, { organization, webhook, id }, call.turn)
    const tried = await deliveryChanges.until(id, wait, read, (now) => !now || now.attempts.length > 0)
    return { status: 202, body: tried ?? given, headers }
  })
