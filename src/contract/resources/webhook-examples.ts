import type { Delivery, Webhook, WebhookTrial } from './webhook.ts'

// The webhook that the reference shows; see examples.ts.

export const exampleWebhook: Webhook = {
  id: 'wh_06fdw2q3n8me4t1c9z7rk5hsab',
  name: 'Orders to the ERP',
  url: 'https://example.org/hooks/posthorn',
  events: ['message.received', 'message.failed'],
  instances: null,
  ordering: 'none',
  batch: 1,
  enabled: true,
  paused: false,
  disabled_reason: null,
  failing_since: null,
  pending: 1,
  oldest_at: '2026-11-20T10:16:00.004Z',
  next_attempt_at: '2026-11-20T10:16:05.311Z',
  rate: 0.2,
  lagging_since: null,
  created_at: '2026-11-20T09:40:00.000Z',
  updated_at: '2026-11-20T09:40:00.000Z',
}

/** An example without an owner: it is the one in the specification of Standard Webhooks. */
export const exampleWebhookSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

export const exampleDelivery: Delivery = {
  id: 'dlv_06fdw2q9d3va6x0n8y2jm4kgts',
  webhook: exampleWebhook.id,
  event: { id: 'evt_06fdw2q8x7f1bq9w3h8rxe6czm', type: 'message.received', sequence: 4711 },
  status: 'pending',
  attempts: [
    {
      number: 1,
      batch: null,
      started_at: '2026-11-20T10:16:00.020Z',
      duration_ms: 35,
      status: 503,
      error: null,
      body: 'The database is being moved.',
    },
  ],
  next_attempt_at: '2026-11-20T10:16:05.311Z',
  created_at: '2026-11-20T10:16:00.004Z',
  settled_at: null,
}

export const exampleTrial: WebhookTrial = {
  request: {
    headers: {
      'content-type': 'application/json',
      'webhook-id': 'evt_06fdw2q8x7f1bq9w3h8rxe6czm',
      'webhook-timestamp': '1795169760',
    },
    body: '{"id":"evt_06fdw2q8x7f1bq9w3h8rxe6czm","type":"webhook.test","sequence":4711,"epoch":"4jw8r0km","timestamp":"2026-11-20T10:16:00.004Z","data":{"webhook":{"id":"wh_06fdw2q3n8me4t1c9z7rk5hsab"}}}',
  },
  started_at: '2026-11-20T10:16:00.020Z',
  duration_ms: 35,
  status: 200,
  error: null,
  body: 'ok',
}
