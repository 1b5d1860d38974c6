import { handler } from '../../contract/handler.ts'
import { deleteWebhook as operation } from '../../contract/operations/webhook-operations.ts'
import { Problem } from '../../contract/problem.ts'
import type { EventContext } from '../context.ts'
import { deleteWebhook as remove } from '../webhook-store.ts'

export const deleteWebhook = ({ store }: EventContext) =>
  handler(operation, async ({ caller, params, audit, turn }) => {
    const removed = await store.transact(
      remove,
      {
        organization: caller.organizationId,
        id: params.webhook,
        audit: audit(),
      },
      turn,
    )
    if (!removed) throw new Problem('webhook_not_found')
    return { status: 204 }
  })
