import { handler } from '../../contract/handler.ts'
import { createWebhook as operation } from '../../contract/operations/webhook-operations.ts'
import { Problem } from '../../contract/problem.ts'
import { newId } from '../../runtime/ids.ts'
import type { EventContext } from '../context.ts'
import { listText, renderWebhook } from '../webhook.ts'
import { newWebhookSecret } from '../webhook-secrets.ts'
import { createWebhook as create } from '../webhook-store.ts'
import { refuseUrl } from '../webhook-url.ts'

export const createWebhook = (context: EventContext) => {
  const { store, clock, webhookSecrets, guard, webhookLimit, deliverer } = context
  return handler(operation, async ({ caller, body, audit, turn }) => {
    refuseUrl(guard, body.url)
    const id = newId('wh')
    const secret = newWebhookSecret()
    const webhook = {
      id,
      organization_id: caller.organizationId,
      name: body.name ?? null,
      url: body.url,
      event_types: listText(body.events),
      instance_names: listText(body.instances),
      ordering: body.ordering ?? 'none',
      batch: body.batch ?? 1,
      secret: webhookSecrets.close(id, secret),
      created_at: clock.now(),
    }
    const created = await store.transact(create, { webhook, limit: webhookLimit, audit: audit() }, turn)
    if (created === 'limit_reached') throw new Problem('webhook_limit_reached')
    deliverer.deliver(caller.organizationId)
    const headers = { location: `/v1/webhooks/${id}` }
    return { status: 201, body: { ...renderWebhook(created, deliverer.rateOf(id)), secret }, headers }
  })
}
