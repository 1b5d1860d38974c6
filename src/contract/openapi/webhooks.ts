import { TraceParent } from '../headers.ts'
import { type EventType, eventKinds, eventTypes, schemaOfEvent } from '../resources/event.ts'
import { exampleEvent } from '../resources/event-examples.ts'
import Type from '../type.ts'
import { type Parameter, plain, type WebhookObject } from './document.ts'
import { type ComponentRegistry, componentOf, headerParameter } from './operation.ts'

/** The headers of a delivery, as Standard Webhooks 1.0.0 has them. */
const headers: readonly Parameter[] = [
  headerParameter(
    'webhook-id',
    'The id of the event, or of the batch if the webhook uses batches. An event or batch may arrive more than once, always with the same id.',
    Type.String({ examples: [exampleEvent('message.received').id] }),
    true,
  ),
  headerParameter(
    'webhook-timestamp',
    'When this attempt was made, in seconds since the Unix epoch. Refuse requests that are older than five minutes.',
    Type.String({ pattern: '^[0-9]+$', examples: ['1795169760'] }),
    true,
  ),
  headerParameter(
    'webhook-signature',
    'One signature or two, separated by a space: `v1,` and the HMAC-SHA256, in base64, of `{webhook-id}.{webhook-timestamp}.{body}` ' +
      'with the secret of the webhook as the key. One valid signature is enough; two are sent for 24 hours after the secret was rotated.',
    Type.String({ examples: ['v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4='] }),
    true,
  ),
  headerParameter(
    'traceparent',
    'The trace context of the request that the message of the event was sent with (W3C Trace Context), unchanged. It is absent if that had none, and from a batch ' +
      'with events of several traces. `tracestate` comes with it if there was one. The signature does not cover it.',
    TraceParent,
  ),
]

const responses = {
  '2XX': { description: 'The event is delivered. The body of the response does not matter.' },
  '410': { description: 'Posthorn disables the webhook and sends nothing more to it.' },
  '413': { description: 'A batch is split and sent in two halves; a single event is sent again.' },
  '429': {
    description: 'The request is sent again, not before the time in `Retry-After`. The same applies to 503.',
  },
  default: {
    description:
      'The request is sent again after 5 seconds, 5 and 30 minutes, 2, 5, 10, 14, 20 and 24 hours, and then no more. ' +
      'Redirects are not followed, and no response within 20 seconds counts as a failure. A webhook with `batch` above 1 ' +
      'gets `{"events": [event, …]}`.',
  },
} as const

/** Returns the requests to webhooks: each type of event, with its schema and an example. */
export function webhooksOf(registry: ComponentRegistry): Record<EventType, { post: WebhookObject }> {
  const entries = eventTypes.map((type) => [type, { post: webhookObject(type, registry) }] as const)
  return Object.fromEntries(entries) as Record<EventType, { post: WebhookObject }>
}

function webhookObject(type: EventType, registry: ComponentRegistry): WebhookObject {
  const schema = registry.refer(schemaOfEvent(type))
  return {
    operationId: `on.${type}`,
    tags: ['Webhooks'],
    summary: type,
    description: eventKinds[type].meaning,
    security: [],
    parameters: headers.map((parameter) => registry.share('parameters', componentOf(parameter), parameter)),
    requestBody: {
      required: true,
      content: { 'application/json': { schema, example: plain(exampleEvent(type)) } },
    },
    responses,
  }
}
