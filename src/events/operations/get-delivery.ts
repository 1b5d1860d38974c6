import { handler } from '../../contract/handler.ts'
import { getDelivery as operation } from '../../contract/operations/webhook-operations.ts'
import { Problem } from '../../contract/problem.ts'
import type { EventContext } from '../context.ts'
import { findDelivery } from '../delivery/queue/delivery-record.ts'

export const getDelivery = ({ store }: EventContext) =>
  handler(operation, async ({ caller, params, turn }) => {
    const delivery = await store.read(
      findDelivery,
      {
        organization: caller.organizationId,
        webhook: params.webhook,
        id: params.delivery,
      },
      turn,
    )
    if (!delivery) throw new Problem('delivery_not_found')
    return { status: 200, body: delivery }
  })
