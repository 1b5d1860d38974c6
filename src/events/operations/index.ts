import type { Handler } from '../../contract/handler.ts'
import { createWebhook } from './create-webhook.ts'
import { deleteWebhook } from './delete-webhook.ts'
import { deliverEvent } from './deliver-event.ts'
import { getDelivery } from './get-delivery.ts'
import { getEvent } from './get-event.ts'
import { getStatistics } from './get-statistics.ts'
import { getWebhook } from './get-webhook.ts'
import { getWebhookStatistics } from './get-webhook-statistics.ts'
import { listDeliveries } from './list-deliveries.ts'
import { listEvents } from './list-events.ts'
import { listWebhooks } from './list-webhooks.ts'
import { redeliver } from './redeliver.ts'
import { redeliverEvents } from './redeliver-events.ts'
import { rotateWebhookSecret } from './rotate-webhook-secret.ts'
import { skipBacklog } from './skip-backlog.ts'
import { testWebhook } from './test-webhook.ts'
import { type TrialContext, tryWebhook } from './try-webhook.ts'
import { updateWebhook } from './update-webhook.ts'

/** Every operation on events and webhooks. */
export function eventHandlers(context: TrialContext): Handler[] {
  return [
    listEvents(context),
    getEvent(context),
    getStatistics(context),
    createWebhook(context),
    listWebhooks(context),
    getWebhook(context),
    updateWebhook(context),
    deleteWebhook(context),
    testWebhook(context),
    tryWebhook(context),
    getWebhookStatistics(context),
    deliverEvent(context),
    rotateWebhookSecret(context),
    listDeliveries(context),
    getDelivery(context),
    redeliver(context),
    redeliverEvents(context),
    skipBacklog(context),
  ]
}
