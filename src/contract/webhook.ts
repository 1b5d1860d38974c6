import Type, { type Static } from 'typebox'
import { EventType } from './event.ts'
import { InstanceName, id, moment, oneOf, orNull, record } from './scalars.ts'
import { deliveryStatuses } from './statuses.ts'
import { WebhookDisabledReason } from './webhook-disabled-reason.ts'

const webhookOrderings = ['none', 'per_instance'] as const
export type WebhookOrdering = (typeof webhookOrderings)[number]

const choices = {
  events: orNull(
    Type.Array(EventType, {
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
      description: 'The types of the events that it gets; null for all, also those that are added later.',
      examples: [['message.received', 'message.failed']],
    }),
  ),
  instances: orNull(
    Type.Array(InstanceName, {
      minItems: 1,
      maxItems: 200,
      uniqueItems: true,
      description:
        'The names of the instances whose events it gets; null for all. Events that are about no instance are not left out.',
      examples: [['support']],
    }),
  ),
  ordering: oneOf(webhookOrderings, {
    title: 'WebhookOrdering',
    description:
      '`none`: each event is delivered as soon as it can be. `per_instance`: those of one instance come one by one, in order; ' +
      'one that cannot be delivered holds up those behind it, until it is given up.',
  }),
}

const mode = {
  batch: Type.Integer({
    minimum: 1,
    maximum: 100,
    description:
      'How many events may come in one request. With 1, each comes alone. With more, every request holds `{"events": […]}` and the ' +
      'id of a batch as its `webhook-id`, even if there is only one event to send. Such a body has some 256 KB at most, unless one ' +
      'event alone is larger. In order, a batch holds consecutive events of one instance.',
    examples: [1],
  }),
  paused: Type.Boolean({
    description:
      'While it is true, nothing is sent, and events are collected until it is false again. A webhook that is not enabled gets no ' +
      'events at all for that time.',
  }),
}

const Url = Type.String({
  format: 'uri',
  maxLength: 2048,
  description: 'Where events are sent to: HTTPS, at a public address.',
  examples: ['https://example.org/hooks/posthorn'],
})

export const CreateWebhook = record('CreateWebhook', {
  url: Url,
  events: Type.Optional(choices.events),
  instances: Type.Optional(choices.instances),
  ordering: Type.Optional(choices.ordering),
  batch: Type.Optional(mode.batch),
})
export type CreateWebhook = Static<typeof CreateWebhook>

export const UpdateWebhook = record(
  'UpdateWebhook',
  {
    url: Type.Optional(Url),
    events: Type.Optional(choices.events),
    instances: Type.Optional(choices.instances),
    ordering: Type.Optional(choices.ordering),
    batch: Type.Optional(mode.batch),
    enabled: Type.Optional(
      Type.Boolean({
        description:
          'False to send it nothing, and give it no event that happens, until it is true again. To collect them, pause it.',
      }),
    ),
    paused: Type.Optional(mode.paused),
  },
  'What is left out stays as it is.',
)
export type UpdateWebhook = Static<typeof UpdateWebhook>

const webhook = {
  id: id('wh', 'Identifies the webhook.'),
  url: Url,
  ...choices,
  ...mode,
  enabled: Type.Boolean({ description: 'Whether it gets events now.' }),
  disabled_reason: orNull(WebhookDisabledReason),
  failing_since: orNull(
    moment('Since when nothing arrives: the first of the failures after the last success.'),
  ),
  pending: Type.Integer({
    minimum: 0,
    description: 'How many deliveries are pending: its backlog, with what is under way.',
    examples: [12],
  }),
  oldest_at: orNull(moment('Since when the oldest of them waits; null if nothing does.')),
  rate: Type.Number({
    minimum: 0,
    description: 'How many events a second arrived over the last minute.',
    examples: [3.5],
  }),
  lagging_since: orNull(
    moment('Since when it has been lagging behind, as `webhook.lagging` told; null while it does not.'),
  ),
  created_at: moment('When it was created.'),
  updated_at: moment('When it was last changed.'),
}

export const Webhook = record('Webhook', webhook, 'Where events are sent to. Its secret is shown once.')
export type Webhook = Static<typeof Webhook>

export const WebhookWithSecret = record(
  'WebhookWithSecret',
  {
    ...webhook,
    secret: Type.String({
      description:
        'What deliveries are signed with, as Standard Webhooks has it. Shown this once: keep it where the receiver can read it.',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
    }),
  },
  'A webhook and its secret.',
)
export type WebhookWithSecret = Static<typeof WebhookWithSecret>

const DeliveryAttempt = record('DeliveryAttempt', {
  number: Type.Integer({ minimum: 1, description: 'Counted from 1.' }),
  batch: orNull(
    id(
      'bat',
      'The batch that the event was sent with: the `webhook-id` of the request. Null if it came alone.',
    ),
  ),
  started_at: moment('When it was begun.'),
  duration_ms: Type.Integer({ minimum: 0, description: 'How long it took, in milliseconds.' }),
  status: orNull(Type.Integer({ description: 'The HTTP status of the answer; null where none came.' })),
  error: orNull(
    record('DeliveryError', {
      code: Type.String({ description: 'Why no answer came, stable.', examples: ['timeout'] }),
      detail: Type.String({ description: 'What happened and what to do next, for a person.' }),
    }),
  ),
  body: orNull(Type.String({ description: 'The first kilobyte of the answer.' })),
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
        '`pending`: an attempt is to come, or under way. `delivered`: the receiver answered 2xx. `failed`: it was given up; ' +
        'redeliver it when the receiver is back. `skipped`: you skipped it; redeliver it to have it after all.',
    }),
    attempts: Type.Array(DeliveryAttempt, { description: 'What came of each attempt, the first one first.' }),
    next_attempt_at: orNull(moment('When the next attempt is made.')),
    created_at: moment('When the event was given to the webhook.'),
    settled_at: orNull(moment('When it was delivered or given up.')),
  },
  'One event for one webhook, and every attempt to deliver it.',
)
export type Delivery = Static<typeof Delivery>
