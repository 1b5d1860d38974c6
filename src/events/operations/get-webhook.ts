import { handler } from '../../contract/handler.ts'
import { getWebhook as operation } from '../../contract/operations/webhook-operations.ts'
import { Problem } from '../../contract/problem.ts'
import type { EventContext } from '../context.ts'
import { renderWebhook } from '../webhook.ts'
import { findWebhook } from '../webhook-store.ts'

export const getWebhook = ({ store, deliverer }: EventContext) =>
  handler(operation, async ({ caller, params, turn }) => {
    const row = await store.read(
      findWebhook,
      { organization: caller.organizationId, id: params.webhook },
      turn,
    )
    if (!row) throw new Problem('webhook_not_found')
    return { status: 200, body: renderWebhook(row, deliverer.rateOf(row.id)) }
  })
