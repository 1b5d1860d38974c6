import { handler } from '../../contract/handler.ts'
import { updateWebhook as operation } from '../../contract/operations/webhook-operations.ts'
import { Problem } from '../../contract/problem.ts'
import type { UpdateWebhook } from '../../contract/resources/webhook.ts'
import type { EventContext } from '../context.ts'
import { listText, renderWebhook } from '../webhook.ts'
import { updateWebhook as update, type WebhookChange } from '../webhook-store.ts'
import { refuseUrl } from '../webhook-url.ts'

export const updateWebhook = ({ store, clock, guard, deliverer }: EventContext) =>
  handler(operation, async ({ caller, params, body, audit, turn }) => {
    if (body.url !== undefined) refuseUrl(guard, body.url)
    const row = await store.transact(
      update,
      {
        organization: caller.organizationId,
        id: params.webhook,
        change: changeOf(body),
        now: clock.now(),
        audit: audit(),
      },
      turn,
    )
    if (!row) throw new Problem('webhook_not_found')
    deliverer.deliver(caller.organizationId)
    return { status: 200, body: renderWebhook(row, deliverer.rateOf(row.id)) }
  })

function changeOf({
  name,
  url,
  events,
  instances,
  ordering,
  batch,
  enabled,
  paused,
}: UpdateWebhook): WebhookChange {
  return {
    ...(name === undefined ? {} : { name }),
    ...(url === undefined ? {} : { url }),
    ...(events === undefined ? {} : { event_types: listText(events) }),
    ...(instances === undefined ? {} : { instance_names: listText(instances) }),
    ...(ordering === undefined ? {} : { ordering }),
    ...(batch === undefined ? {} : { batch }),
    ...(enabled === undefined ? {} : { enabled: enabled ? 1 : 0 }),
    ...(paused === undefined ? {} : { paused: paused ? 1 : 0 }),
  }
}
