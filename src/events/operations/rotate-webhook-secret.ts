import { handler } from '../../contract/handler.ts'
import { rotateWebhookSecret as operation } from '../../contract/operations/webhook-operations.ts'
import { Problem } from '../../contract/problem.ts'
import type { EventContext } from '../context.ts'
import { renderWebhook } from '../webhook.ts'
import { newWebhookSecret } from '../webhook-secrets.ts'
import { rotateWebhookSecret as rotate } from '../webhook-store.ts'

/** Milliseconds for which the previous secret also signs deliveries. */
const overlap = 24 * 60 * 60_000

export const rotateWebhookSecret = ({ store, clock, webhookSecrets, deliverer }: EventContext) =>
  handler(operation, async ({ caller, params, audit, turn }) => {
    const secret = newWebhookSecret()
    const now = clock.now()
    const row = await store.transact(
      rotate,
      {
        organization: caller.organizationId,
        id: params.webhook,
        secret: webhookSecrets.close(params.webhook, secret),
        previousUntil: now + overlap,
        now,
        audit: audit(),
      },
      turn,
    )
    if (!row) throw new Problem('webhook_not_found')
    return { status: 200, body: { ...renderWebhook(row, deliverer.rateOf(row.id)), secret } }
  })
