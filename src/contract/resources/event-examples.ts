import type { Event, EventType, InstanceEventData, MessageEventData } from './event.ts'
import { connectedInstance, deliveredMessage, queuedMessage } from './examples.ts'
import type { EventInstance } from './instance.ts'
import type { Message } from './message.ts'
import { exampleWebhook } from './webhook-examples.ts'

// Examples of each kind of event in the reference; see examples.ts.

const {
  queue: _queue,
  settings: _settings,
  stop_words: _stop,
  start_words: _start,
  callback_url: _url,
  updated_at: _updated,
  ...instance
} = connectedInstance
const connected: EventInstance = instance
const of = { id: connected.id, name: connected.name, metadata: connected.metadata }

const sent: Message = { ...queuedMessage, instance: connected.name, client_ref: 'appointment-4711' }
const delivered: Message = { ...sent, ...times(deliveredMessage), status: 'delivered', attempts: 1 }

function times({ sent_at, delivered_at, read_at }: Message) {
  return { sent_at, delivered_at, read_at }
}

const received: Message = {
  ...queuedMessage,
  id: 'msg_06fdw2q8n3va6x0n8y2jm4kgts',
  direction: 'inbound',
  instance: connected.name,
  from: 'ana@example.org',
  to: 'support@example.org',
  conversation: 'ana@example.org',
  status: 'received',
  text: 'When will it arrive?',
  network_message_id: '8b1f0f8e-1f0f-4a4e-9d0f-2f4f6b1c9d3e',
  created_at: '2026-11-20T10:16:00.000Z',
  expires_at: null,
  sent_at: '2026-11-20T10:15:59.000Z',
}

const refusal = {
  code: 'recipient_unknown',
  detail: 'The network knows no such recipient. Check the address.',
  permanent: true,
  network_code: 'item-not-found',
}

const elsewhere = {
  origin: 'elsewhere',
  status: 'sent',
  attempts: 0,
  client_ref: null,
  metadata: {},
  expires_at: null,
  delivered_at: null,
} as const

const restriction = {
  code: 'account_disabled',
  detail:
    'Meta has disabled the business account, because it violated a policy. Request a review in the Business Support Home of Meta.',
  scope: 'all_messages',
  since: '2026-11-20T10:14:40.000Z',
  ends_at: '2026-11-21T10:14:40.000Z',
} as const

const ofInstance = (now: EventInstance): InstanceEventData => ({ instance: now })
const ofMessage = (message: Message): MessageEventData => ({ instance: of, message })
const webhook = { id: exampleWebhook.id }

const chosen = {
  instance: of,
  contact: { address: 'ana@delivers.sandbox', aliases: [] },
  at: '2026-11-20T10:15:58.000Z',
}

const data: Readonly<Record<EventType, object>> = {
  'instance.created': ofInstance({ ...connected, ...waiting('connecting', 'wait') }),
  'instance.status_changed': ofInstance(connected),
  'instance.link_changed': {
    ...ofInstance({ ...connected, ...waiting('awaiting_link', 'link') }),
    link: { kind: 'qr', expires_at: '2026-11-20T09:30:20.000Z' },
  },
  'instance.restriction_changed': ofInstance({ ...connected, sendable: false, restriction }),
  'instance.updated': ofInstance(connected),
  'instance.credentials_replaced': ofInstance({ ...connected, ...waiting('connecting', 'wait') }),
  'instance.deleted': ofInstance({ ...connected, ...waiting('deleting', 'wait') }),
  'message.received': ofMessage(received),
  'message.sent_elsewhere': ofMessage({ ...delivered, ...elsewhere }),
  'message.queued': ofMessage(sent),
  'message.sent': ofMessage({ ...delivered, status: 'sent', delivered_at: null }),
  'message.delivered': ofMessage(delivered),
  'message.read': ofMessage({ ...delivered, status: 'read', read_at: '2026-11-20T10:15:20.000Z' }),
  'message.failed': ofMessage({ ...sent, status: 'failed', attempts: 1, error: refusal }),
  'message.expired': ofMessage({ ...sent, status: 'expired' }),
  'message.canceled': ofMessage({ ...sent, status: 'canceled' }),
  'message.unknown': ofMessage({ ...sent, status: 'unknown', attempts: 1 }),
  'template.status_changed': {
    instance: of,
    template: {
      name: 'order_update',
      language: 'en_US',
      status: 'paused',
      network_status: 'PAUSED',
      rejected_reason: null,
    },
  },
  'contact.opted_out': { ...chosen, by: 'stop_word' },
  'contact.opted_in': { ...chosen, by: 'network' },
  'group.changed': {
    instance: of,
    group: { address: 'team@group.sandbox', subject: 'Team in Lisbon' },
    change: 'renamed',
    members: [],
    members_left_out: 0,
    by: 'ana@delivers.sandbox',
    at: '2026-11-20T10:15:59.000Z',
  },
  'quota.exceeded': {
    quota: { name: 'incoming_messages', used: 1_000_000, limit: 1_000_000 },
    refused: 214,
    since: '2026-11-20T09:16:00.000Z',
  },
  'webhook.disabled': {
    webhook,
    reason: {
      code: 'failing',
      detail: 'Nothing arrived for five days. Enable the webhook again when its receiver is back.',
    },
  },
  'webhook.lagging': { webhook, pending: 4_120, oldest_at: '2026-11-20T10:10:00.004Z' },
  'webhook.caught_up': { webhook, pending: 0, oldest_at: null },
  'webhook.test': { webhook },
}

function waiting(status: EventInstance['status'], action: EventInstance['action']) {
  return { status, action, sendable: false, account: null, connected_at: null, last_verified_at: null }
}

/** An event of this type, as the feed and webhooks show it. */
export function exampleEvent(type: EventType): Event {
  return {
    id: 'evt_06fdw2q8x7f1bq9w3h8rxe6czm',
    type,
    sequence: 4711,
    epoch: '4jw8r0km',
    timestamp: '2026-11-20T10:16:00.004Z',
    data: data[type],
  }
}
