import { traceHeaders } from '../../../runtime/text/trace-context.ts'
import type { EventContext } from '../../context.ts'
import { eventId, renderEvent } from '../../event.ts'
import { openSecrets } from '../attempt/secrets.ts'
import { signatureHeaders } from '../attempt/signature.ts'
import type { AttemptResult, WebhookClient } from '../attempt/webhook-client.ts'
import type { ClaimedDelivery } from '../queue/claim-deliveries.ts'

/**
 * Sends an event, or a batch of events, to its webhook once. The body is the same at each attempt, byte for byte; the time and
 * the signatures are not.
 */
export async function makeAttempt(
  {
    client,
    webhookSecrets,
    clock,
    renderMessage,
  }: Pick<EventContext, 'webhookSecrets' | 'clock' | 'renderMessage'> & { readonly client: WebhookClient },
  organization: string,
  { webhook, batch, events }: ClaimedDelivery,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const at = clock.now()
  const [first, ...others] = events.map((event) => renderEvent(event, renderMessage))
  const content = batch === null ? first : { events: [first, ...others] }
  const body = Buffer.from(JSON.stringify(content))
  const signed = signatureHeaders({
    id: batch ?? eventId(events[0]),
    at,
    body,
    secrets: openSecrets(webhookSecrets, webhook, at),
  })
  const headers = { ...signed, ...traceHeaders(commonTrace(events)) }
  return client.post({ url: webhook.url, headers, body, webhookId: webhook.id, organization }, signal)
}

/** The trace context of the messages of all these events; null if there are several. */
function commonTrace([first, ...others]: ClaimedDelivery['events']): string | null {
  const trace = first.about?.message.trace ?? null
  return others.every(({ about }) => (about?.message.trace ?? null) === trace) ? trace : null
}
