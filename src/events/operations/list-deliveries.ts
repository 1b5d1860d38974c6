import { handler } from '../../contract/handler.ts'
import { listDeliveries as operation } from '../../contract/operations/webhook-operations.ts'
import { idInCursor } from '../../contract/page-cursor.ts'
import { Problem } from '../../contract/problem.ts'
import { writeCursor } from '../../runtime/text/cursor.ts'
import type { EventContext } from '../context.ts'
import { listDeliveries as list } from '../delivery/queue/delivery-record.ts'
import { findWebhook } from '../webhook-store.ts'

export const listDeliveries = ({ store }: EventContext) =>
  handler(operation, async ({ caller, params, query, turn }) => {
    const organization = caller.organizationId
    const before = idInCursor(query.cursor, 'dlv')
    const webhook = await store.read(findWebhook, { organization, id: params.webhook }, turn)
    if (!webhook) throw new Problem('webhook_not_found')
    const { deliveries, more } = await store.read(
      list,
      {
        organization,
        webhook: webhook.id,
        status: query.status ?? null,
        limit: query.limit ?? 50,
        before,
      },
      turn,
    )
    const last = deliveries.at(-1)
    return {
      status: 200,
      body: { data: deliveries, next_cursor: more && last ? writeCursor(last.id) : null },
    }
  })
