import { idPattern } from '../../runtime/ids.ts'
import { operation, pageResponse } from '../operation.ts'
import {
  CreateWebhook,
  Delivery,
  maxWebhookHours,
  UpdateWebhook,
  Webhook,
  WebhookHour,
  WebhookTrial,
  WebhookUrl,
  WebhookWithSecret,
} from '../resources/webhook.ts'
import {
  exampleDelivery,
  exampleTrial,
  exampleWebhook,
  exampleWebhookSecret,
} from '../resources/webhook-examples.ts'
import { callerMoment, id, oneOf, orNull, page, paging, record } from '../scalars.ts'
import { deliveryStatuses } from '../statuses.ts'
import Type from '../type.ts'

const webhook = Type.String({ pattern: idPattern('wh'), description: 'The id of the webhook.' })
const params = record('WebhookPath', { webhook })
const deliveryParams = record('DeliveryPath', {
  webhook,
  delivery: Type.String({ pattern: idPattern('dlv'), description: 'The id of the delivery.' }),
})

const withSecret = {
  body: WebhookWithSecret,
  example: { ...exampleWebhook, secret: exampleWebhookSecret },
} as const

export const createWebhook = operation('POST /v1/webhooks', {
  id: 'createWebhook',
  summary: 'Create a webhook',
  description:
    'Registers a URL that new events are sent to, and returns the secret that signs them. The secret is shown only ' +
    'this once. Deliveries follow Standard Webhooks 1.0.0, so any library for it can verify them.',
  access: 'admin',
  body: CreateWebhook,
  responses: {
    201: { description: 'The webhook was created.', ...withSecret, headers: ['Location'] },
  },
  problems: ['webhook_limit_reached'],
  examples: {
    all: { summary: 'Every event', value: { url: 'https://example.org/hooks/posthorn' } },
    some: {
      summary: 'The incoming messages of one instance, in order',
      value: {
        url: 'https://example.org/hooks/posthorn',
        events: ['message.received'],
        instances: ['support'],
        ordering: 'per_instance',
      },
    },
  },
})

export const listWebhooks = operation('GET /v1/webhooks', {
  id: 'listWebhooks',
  summary: 'List the webhooks',
  description: 'Lists the webhooks of your organization, oldest first.',
  access: 'admin',
  query: record('ListWebhooksQuery', paging),
  responses: {
    200: pageResponse('A page of webhooks.', page('WebhookPage', Webhook), [exampleWebhook]),
  },
})

/** Such as `GET /v1/webhooks/try`. */
const hiddenByTry = ['method_not_allowed'] as const

export const getWebhook = operation('GET /v1/webhooks/{webhook}', {
  id: 'getWebhook',
  summary: 'Read a webhook',
  description: 'Returns the webhook, without its secret.',
  access: 'admin',
  params,
  responses: { 200: { description: 'The webhook.', body: Webhook, example: exampleWebhook } },
  problems: hiddenByTry,
})

export const updateWebhook = operation('PATCH /v1/webhooks/{webhook}', {
  id: 'updateWebhook',
  summary: 'Change a webhook',
  description:
    'Changes the fields that the body contains. While a webhook is paused, nothing is sent to it, and events collect for ' +
    'as long as they are kept; when it is resumed, they are sent. While it is not enabled, pending deliveries wait as ' +
    'well, but new events are not collected: to send them later, redeliver the events of that time. You can skip a backlog ' +
    'that you no longer need.',
  access: 'admin',
  params,
  body: UpdateWebhook,
  responses: { 200: { description: 'The changed webhook.', body: Webhook, example: exampleWebhook } },
  problems: hiddenByTry,
  examples: {
    enable: { summary: 'Send events to it again', value: { enabled: true } },
    pause: { summary: 'Send nothing, and collect events', value: { paused: true } },
    batch: { summary: 'Send up to 50 events at a time', value: { batch: 50 } },
  },
})

export const deleteWebhook = operation('DELETE /v1/webhooks/{webhook}', {
  id: 'deleteWebhook',
  summary: 'Remove a webhook',
  description:
    'Removes the webhook and its deliveries. Nothing more is sent to it. The events stay in the feed.',
  access: 'admin',
  params,
  responses: { 204: { description: 'The webhook was removed.' } },
  problems: hiddenByTry,
})

export const testWebhook = operation('POST /v1/webhooks/{webhook}/test', {
  id: 'testWebhook',
  summary: 'Test a webhook',
  description:
    'Sends an event `webhook.test` to this webhook alone, even if it is not enabled. Send `Prefer: wait=N` to get the result ' +
    'of the first attempt in the response.',
  access: 'admin',
  params,
  waits: 'an attempt was made',
  responses: {
    202: {
      description: 'The delivery of the test.',
      body: Delivery,
      example: exampleDelivery,
      headers: ['Location'],
    },
  },
})

export const tryWebhook = operation('POST /v1/webhooks/try', {
  id: 'tryWebhook',
  summary: 'Try a URL',
  description:
    'Posts an event `webhook.test` once to a URL, which need not belong to a webhook, and returns the response of the receiver. Nothing is ' +
    'stored: the event is not in the feed, and its `sequence` is that of the last event. The URL is held to the same rules as that of a ' +
    'webhook. Your organization may try ten times a minute.',
  access: 'admin',
  body: record('TryWebhook', {
    url: WebhookUrl,
    webhook: Type.Optional(
      id(
        'wh',
        'The webhook whose secret signs the request. Without it, a secret signs that is used for nothing else.',
      ),
    ),
  }),
  responses: {
    200: {
      description: 'The response of the receiver, or the reason why there is none.',
      body: WebhookTrial,
      example: exampleTrial,
    },
  },
  problems: ['webhook_not_found'],
  examples: { some: { summary: 'A URL', value: { url: 'https://example.org/hooks/posthorn' } } },
})

export const getWebhookStatistics = operation('GET /v1/webhooks/{webhook}/statistics', {
  id: 'getWebhookStatistics',
  summary: 'Read what happened to the deliveries of a webhook',
  description:
    'Counts the deliveries of a webhook by hours of UTC, oldest first, up to ' +
    'the current hour. Counts are kept for a week.',
  access: 'admin',
  params,
  query: record('GetWebhookStatisticsQuery', {
    hours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxWebhookHours,
        description: 'The number of hours; by default, 24.',
      }),
    ),
  }),
  responses: {
    200: {
      description: 'The hours.',
      body: record('WebhookStatistics', { data: Type.Array(WebhookHour) }),
      example: {
        data: [
          {
            from: '2026-11-20T10:00:00.000Z',
            delivered: 121,
            delivered_at_once: 118,
            failed: 0,
            failed_attempts: 4,
            pending: 1,
          },
        ],
      },
    },
  },
})

export const rotateWebhookSecret = operation('POST /v1/webhooks/{webhook}/rotate-secret', {
  id: 'rotateWebhookSecret',
  summary: 'Rotate the secret of a webhook',
  description:
    'Returns a new secret, which is shown only this once. For 24 hours, deliveries are signed with both the old and the new secret, ' +
    'so that you have time to update the receiver. If you rotate the secret twice in that time, the oldest one is no longer used.',
  access: 'admin',
  params,
  responses: { 200: { description: 'The webhook and its new secret.', ...withSecret } },
})

export const listDeliveries = operation('GET /v1/webhooks/{webhook}/deliveries', {
  id: 'listDeliveries',
  summary: 'List the deliveries of a webhook',
  description:
    'Lists the deliveries with every attempt, newest first. They are kept for as long as their events.',
  access: 'admin',
  params,
  query: record('ListDeliveriesQuery', {
    status: Type.Optional(
      oneOf(deliveryStatuses, { description: 'Only deliveries that have this status now.' }),
    ),
    ...paging,
  }),
  responses: {
    200: pageResponse('A page of deliveries.', page('DeliveryPage', Delivery), [exampleDelivery]),
  },
})

export const getDelivery = operation('GET /v1/webhooks/{webhook}/deliveries/{delivery}', {
  id: 'getDelivery',
  summary: 'Read a delivery',
  description: 'Returns the delivery with every attempt.',
  access: 'admin',
  params: deliveryParams,
  responses: { 200: { description: 'The delivery.', body: Delivery, example: exampleDelivery } },
})

export const deliverEvent = operation('POST /v1/webhooks/{webhook}/deliveries', {
  id: 'deliverEvent',
  summary: 'Deliver an event to a webhook',
  description:
    'Delivers an event that is still kept to this webhook, again or for the first time, even if the webhook does not ask for events of its ' +
    'type or instance. The event and its `webhook-id` stay the same, so a receiver can recognize an event that it already has.',
  access: 'admin',
  params,
  body: record('DeliverEvent', { event: id('evt', 'The event.') }),
  responses: {
    202: {
      description: 'The new delivery.',
      body: Delivery,
      example: exampleDelivery,
      headers: ['Location'],
    },
  },
  problems: ['event_not_found', 'webhook_not_enabled'],
  examples: { one: { summary: 'An event', value: { event: exampleDelivery.event.id } } },
})

export const redeliver = operation('POST /v1/webhooks/{webhook}/deliveries/{delivery}/redeliver', {
  id: 'redeliver',
  summary: 'Deliver an event again',
  description:
    'Delivers the event of this delivery once more, as a new delivery with its own attempts. The event and its `webhook-id` ' +
    'stay the same, so a receiver can recognize an event that it already has.',
  access: 'admin',
  params: deliveryParams,
  responses: {
    202: {
      description: 'The new delivery.',
      body: Delivery,
      example: exampleDelivery,
      headers: ['Location'],
    },
  },
  problems: ['event_forgotten', 'webhook_not_enabled'],
})

export const redeliverEvents = operation('POST /v1/webhooks/{webhook}/redeliver', {
  id: 'redeliverEvents',
  summary: 'Deliver the events of a period again',
  description:
    'Delivers the events of a period that match the current settings of the webhook: `missing` only those without a delivered or ' +
    'pending delivery, `all` every one. One request examines at most 100,000 events: ' +
    'if `next_since` is not null, repeat the request with it as `since`.',
  access: 'admin',
  params,
  body: record('RedeliverEvents', {
    since: callerMoment('Events at or after this time.'),
    until: Type.Optional(callerMoment('Events before this time; by default, until now.')),
    which: Type.Optional(
      oneOf(['missing', 'all'], {
        title: 'RedeliveredEvents',
        description: 'The events to deliver; by default, `missing`.',
      }),
    ),
  }),
  responses: {
    202: {
      description: 'How many deliveries were created.',
      body: record('Redelivery', {
        deliveries: Type.Integer({ minimum: 0, description: 'How many deliveries were created.' }),
        next_since: orNull(
          Type.String({
            format: 'date-time',
            description: 'The time from which to continue; null if no events are left.',
          }),
        ),
      }),
      example: { deliveries: 112, next_since: null },
    },
  },
  problems: ['webhook_not_enabled'],
  examples: {
    weekend: {
      summary: 'Events missed over a weekend',
      value: { since: '2026-11-20T18:00:00Z', until: '2026-11-23T08:00:00Z' },
    },
  },
})

export const skipBacklog = operation('POST /v1/webhooks/{webhook}/skip', {
  id: 'skipBacklog',
  summary: 'Skip the backlog of a webhook',
  description:
    'Skips the pending deliveries of events that happened before a given time: they become `skipped`. Attempts in progress may ' +
    'still arrive. The webhook need not be paused. One request examines at most 100,000 deliveries: if `done` is false, repeat ' +
    'the request. Skipped events stay in the feed and can be redelivered.',
  access: 'admin',
  params,
  body: record('SkipBacklog', {
    until: callerMoment('Skip events before this time, which must not be in the future.'),
  }),
  responses: {
    200: {
      description: 'How many deliveries were skipped.',
      body: record('SkippedBacklog', {
        skipped: Type.Integer({ minimum: 0, description: 'How many deliveries were skipped.' }),
        done: Type.Boolean({ description: 'Whether all of them were skipped; if not, repeat the request.' }),
      }),
      example: { skipped: 3120, done: true },
    },
  },
  examples: { now: { summary: 'Everything up to a moment', value: { until: '2026-11-20T10:16:00Z' } } },
})

export const webhookOperations = [
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  testWebhook,
  tryWebhook,
  getWebhookStatistics,
  rotateWebhookSecret,
  listDeliveries,
  deliverEvent,
  getDelivery,
  redeliver,
  redeliverEvents,
  skipBacklog,
] as const
