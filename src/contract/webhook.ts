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
})
export type CreateWebhook = Static<typeof CreateWebhook>

export const UpdateWebhook = record(
  'UpdateWebhook',
  {
    url: Type.Optional(Url),
    events: Type.Optional(choices.events),
    instances: Type.Optional(choices.instances),
    ordering: Type.Optional(choices.ordering),
    enabled: Type.Optional(Type.Boolean({ description: 'False to send it nothing until it is true again.' })),
  },
  'What is left out stays as it is.',
)
export type UpdateWebhook = Static<typeof UpdateWebhook>

const webhook = {
  id: id('wh', 'Identifies the webhook.'),
  url: Url,
  ...choices,
  enabled: Type.Boolean({ description: 'Whether it gets events now.' }),
  disabled_reason: orNull(WebhookDisabledReason),
  failing_since: orNull(
    moment('Since when nothing arrives: the first of the failures after the last success.'),
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
        'redeliver it when the receiver is back.',
    }),
    attempts: Type.Array(DeliveryAttempt, { description: 'What came of each attempt, the first one first.' }),
    next_attempt_at: orNull(moment('When the next attempt is made.')),
    created_at: moment('When the event was given to the webhook.'),
    settled_at: orNull(moment('When it was delivered or given up.')),
  },
  'One event for one webhook, and every attempt to deliver it.',
)
export type Delivery = Static<typeof Delivery>
