import type { Static } from 'typebox'
import { InstanceName, id, moment, oneOf, orNull, record } from '../scalars.ts'
import { deliveryStatuses } from '../statuses.ts'
import Type from '../type.ts'
import { EventType } from './event.ts'
import { WebhookDisabledReason } from './webhook-disabled-reason.ts'

const webhookOrderings = ['none', 'per_instance'] as const
export type WebhookOrdering = (typeof webhookOrderings)[number]

const choices = {
  events: orNull(
    Type.Array(EventType, {
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
      description: 'The types of events that it gets; null for all, including types that are added later.',
      examples: [['message.received', 'message.failed']],
    }),
  ),
  instances: orNull(
    Type.Array(InstanceName, {
      minItems: 1,
      maxItems: 200,
      uniqueItems: true,
      description:
        'The names of the instances whose events it gets; null for all. Events that concern no instance are always included.',
      examples: [['support']],
    }),
  ),
  ordering: oneOf(webhookOrderings, {
    title: 'WebhookOrdering',
    description:
      '`none`: each event is delivered as soon as possible. `per_instance`: the events of one instance are delivered one by ' +
      'one, in order; later events wait until the delivery of an earlier one succeeds or has `failed`.',
  }),
}

const mode = {
  batch: Type.Integer({
    minimum: 1,
    maximum: 100,
    description:
      'The maximum number of events in one request. With 1, each event is sent alone. With more, every request holds ' +
      '`{"events": […]}` and the id of a batch as its `webhook-id`, even if there is only one event to send. Such a body has ' +
      'at most about 256 KB, unless a single event is larger. With `ordering: per_instance`, a batch holds consecutive ' +
      'events of one instance.',
    examples: [1],
  }),
  paused: Type.Boolean({
    description:
      'While true, nothing is sent, and events are collected until it is false again. A webhook that is not enabled collects no events.',
  }),
}

export const WebhookUrl = Type.String({
  format: 'uri',
  maxLength: 2048,
  description: 'The URL that events are sent to: HTTPS, at a public address.',
  examples: ['https://example.org/hooks/posthorn'],
})

const Name = orNull(
  Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'A name for people; null if it has none.',
    examples: ['Orders to the ERP'],
  }),
)

export const CreateWebhook = record('CreateWebhook', {
  name: Type.Optional(Name),
  url: WebhookUrl,
  events: Type.Optional(choices.events),
  instances: Type.Optional(choices.instances),
  ordering: Type.Optional(choices.ordering),
  batch: Type.Optional(mode.batch),
})
export type CreateWebhook = Static<typeof CreateWebhook>

export const UpdateWebhook = record(
  'UpdateWebhook',
  {
    name: Type.Optional(Name),
    url: Type.Optional(WebhookUrl),
    events: Type.Optional(choices.events),
    instances: Type.Optional(choices.instances),
    ordering: Type.Optional(choices.ordering),
    batch: Type.Optional(mode.batch),
    enabled: Type.Optional(
      Type.Boolean({
        description:
          'While false, nothing is sent, and new events are not collected. To collect them, pause the webhook instead.',
      }),
    ),
    paused: Type.Optional(mode.paused),
  },
  'Fields that are left out stay unchanged.',
)
export type UpdateWebhook = Static<typeof UpdateWebhook>

const webhook = {
  id: id('wh', 'Identifies the webhook.'),
  name: Name,
  url: WebhookUrl,
  ...choices,
  ...mode,
  enabled: Type.Boolean({ description: 'Whether it currently gets events.' }),
  disabled_reason: orNull(WebhookDisabledReason),
  failing_since: orNull(
    moment('When deliveries began to fail: the time of the first failure after the last success.'),
  ),
  pending: Type.Integer({
    minimum: 0,
    description: 'The number of pending deliveries, including those in progress: its backlog.',
    examples: [12],
  }),
  oldest_at: orNull(moment('Since when the oldest of them has been waiting; null if none is.')),
  next_attempt_at: orNull(
    moment(
      'When the next delivery is due; null if none waits for a time. While it is failing, one is tried at a time.',
    ),
  ),
  rate: Type.Number({
    minimum: 0,
    description:
      'The number of events per second that were delivered over the last minute by the node that responds. With several nodes, one of them delivers the events of an organization, and the others show 0.',
    examples: [3.5],
  }),
  lagging_since: orNull(
    moment('Since when it has been lagging, as reported by `webhook.lagging`; null if it is not.'),
  ),
  created_at: moment('When it was created.'),
  updated_at: moment('When it was last changed.'),
}

export const Webhook = record(
  'Webhook',
  webhook,
  'A URL that events are sent to. Its secret is shown only once.',
)
export type Webhook = Static<typeof Webhook>

export const WebhookWithSecret = record(
  'WebhookWithSecret',
  {
    ...webhook,
    secret: Type.String({
      description:
        'The secret that signs deliveries, as Standard Webhooks specifies. Shown only this once: store it where the receiver can read it.',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
    }),
  },
  'A webhook and its secret.',
)
export type WebhookWithSecret = Static<typeof WebhookWithSecret>

const result = {
  started_at: moment('When it started.'),
  duration_ms: Type.Integer({ minimum: 0, description: 'How long it took, in milliseconds.' }),
  status: orNull(Type.Integer({ description: 'The HTTP status of the response; null if there was none.' })),
  error: orNull(
    record('DeliveryError', {
      code: Type.String({
        description: 'The reason why there was no response that counts, as a stable code.',
        examples: ['timeout'],
      }),
      detail: Type.String({ description: 'What happened and what to do next, for a person.' }),
    }),
  ),
  body: orNull(Type.String({ description: 'The first kilobyte of the response.' })),
}

const DeliveryAttempt = record('DeliveryAttempt', {
  number: Type.Integer({ minimum: 1, description: 'Counted from 1.' }),
  batch: orNull(
    id(
      'bat',
      'The batch that the event was sent in: the `webhook-id` of the request. Null if it was sent alone.',
    ),
  ),
  ...result,
})

export const Delivery = record(
  'Delivery',
  {
    id: id('dlv', 'Identifies the delivery.'),
    webhook: webhook.id,
    event: record('DeliveredEvent', {
      id: id('evt', 'Identifies the event.'),
      type: EventType,
      sequence: Type.Integer({ minimum: 1, description: 'The number of the event in your organization.' }),
    }),
    status: oneOf(deliveryStatuses, {
      title: 'DeliveryStatus',
      description:
        '`pending`: an attempt is scheduled or in progress. `delivered`: the receiver responded with 2xx. `failed`: Posthorn ' +
        'gave up; redeliver the event when the receiver is back. `skipped`: you skipped it; redeliver the event if you need ' +
        'it after all.',
    }),
    attempts: Type.Array(DeliveryAttempt, { description: 'The result of each attempt, first to last.' }),
    next_attempt_at: orNull(moment('When the next attempt is made.')),
    created_at: moment('When the delivery was created.'),
    settled_at: orNull(moment('When it was delivered, failed or was skipped.')),
  },
  'One event for one webhook, and every attempt to deliver it.',
)
export type Delivery = Static<typeof Delivery>

/** The most hours that can be asked for. */
export const maxWebhookHours = 7 * 24

export const WebhookTrial = record(
  'WebhookTrial',
  {
    request: record('TriedRequest', {
      headers: record(
        'TriedHeaders',
        {
          'content-type': Type.String(),
          'webhook-id': Type.String(),
          'webhook-timestamp': Type.String(),
        },
        'The headers that receivers read, without the signature.',
      ),
      body: Type.String({ description: 'The body, byte for byte.' }),
    }),
    ...result,
  },
  'A request to a URL that need not be that of a webhook, and the response.',
)
export type WebhookTrial = Static<typeof WebhookTrial>

const count = (description: string) => Type.Integer({ minimum: 0, description })

export const WebhookHour = record('WebhookHour', {
  from: moment('When the hour began.'),
  delivered: count('The number of deliveries that arrived.'),
  delivered_at_once: count('Of these, the number that arrived at the first attempt.'),
  failed: count('The number of deliveries that Posthorn gave up.'),
  failed_attempts: count('The number of requests that failed, most of which were retried.'),
  pending: count(
    'The number of deliveries that were pending at the end of the hour, or are now: the backlog.',
  ),
})
