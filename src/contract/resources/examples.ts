import { instanceReasons, sentencesOf } from '../codes.ts'
import type { Event } from './event.ts'
import type { Instance, InstanceConnectivity, Link } from './instance.ts'
import type { LinkPage, LinkPageView } from './link-page.ts'
import type { Message, MessageError } from './message.ts'
import type { MessageAttempt, MessageStep } from './message-history.ts'
import type { Template } from './template.ts'

// Replies that the reference shows. The types hold these values to the schemas when they are compiled, and
// openapi/openapi.test.ts holds them to the patterns and limits that types cannot say.

export const exampleRequestId = 'req_06fdw2n1k7xg8qs3h5vbtc9m4r'

const connected = {
  status: 'connected',
  status_since: '2026-11-20T09:30:01.412Z',
  reason: null,
  action: 'none',
  sendable: true,
  restriction: null,
  account: {
    address: 'support@example.org',
    display_name: 'Support',
    url: 'xmpp:support@example.org',
  },
  next_attempt_at: null,
  linked_at: null,
  connected_at: '2026-11-20T09:30:01.412Z',
  last_verified_at: '2026-11-20T10:14:40.006Z',
} as const

const connecting = {
  ...connected,
  status: 'connecting',
  status_since: '2026-11-20T09:30:00.000Z',
  action: 'wait',
  sendable: false,
  account: null,
  connected_at: null,
  last_verified_at: null,
} as const

export const connectedInstance: Instance = {
  id: 'inst_06fdw2n0q8me4t1c9z7rk5hsab',
  name: 'support',
  network: 'xmpp',
  ...connected,
  settings: { address: 'support@example.org' },
  metadata: { department: 'support' },
  stop_words: null,
  start_words: null,
  queue: { depth: 0, oldest_at: null },
  callback_url: null,
  created_at: '2026-11-20T09:30:00.000Z',
  updated_at: '2026-11-20T09:30:01.412Z',
}

export const createdInstance: Instance = {
  ...connectedInstance,
  ...connecting,
  updated_at: '2026-11-20T09:30:00.000Z',
}

export const deletingInstance: Instance = {
  ...connectedInstance,
  status: 'deleting',
  status_since: '2026-11-20T11:02:00.000Z',
  action: 'wait',
  sendable: false,
  updated_at: '2026-11-20T11:02:00.000Z',
}

export const connectedStatus: InstanceConnectivity = {
  name: 'support',
  ...connected,
  queue: { depth: 0, oldest_at: null },
  link: null,
}

export const linkStep: Link = {
  kind: 'qr',
  value: 'sandbox-link:7QZK4M2XW9TCBNHR5D3VFGJY',
  expires_at: '2026-11-20T10:15:20.000Z',
}

/** An instance whose account a person is to link. */
export const linkingStatus: InstanceConnectivity = {
  ...connectedStatus,
  ...connecting,
  status: 'awaiting_link',
  action: 'link',
  link: linkStep,
}

export const linkPageExample: LinkPage = {
  id: 'lnk_06fdw2n1k7xg8qs3h5vbtc9m4r',
  url: 'https://posthorn.example/link#phl_…',
  expires_at: '2026-11-22T10:15:00.000Z',
}

/** A link page on which a person is shown a QR code. */
export const linkPageLinking: LinkPageView = {
  title: 'Padaria da Ana',
  has_picture: false,
  language: 'pt-BR',
  network: 'Sandbox',
  kinds: ['qr', 'code'],
  state: 'linking',
  step: linkStep,
  expires_at: '2026-11-22T10:15:00.000Z',
}

export const loggedOutStatus: InstanceConnectivity = {
  ...connectedStatus,
  status: 'logged_out',
  reason: { code: 'logged_out_by_request', detail: sentencesOf(instanceReasons.logged_out_by_request) },
  action: 'relink',
  sendable: false,
}

/** The event stream of an instance that connects, as on the wire. */
export const statusStream = [
  `event: status\ndata: ${JSON.stringify({ ...connectedStatus, ...connecting })}\n\n`,
  `event: status\ndata: ${JSON.stringify(connectedStatus)}\n\n`,
].join('')

export const queuedMessage: Message = {
  id: 'msg_06fdw2p7d3va6x0n8y2jm4kgts',
  direction: 'outbound',
  origin: 'posthorn',
  instance: 'trial',
  from: null,
  to: 'ana@delivers.sandbox',
  conversation: 'ana@delivers.sandbox',
  aliases: [],
  kind: 'text',
  status: 'queued',
  text: 'Your order is on its way.',
  subject: null,
  relation: null,
  unsupported: null,
  network_message_id: '06fdw2p7d3va6x0n8y2jm4kgts',
  client_ref: null,
  metadata: {},
  error: null,
  notices: [],
  attempts: 0,
  created_at: '2026-11-20T10:15:00.000Z',
  send_at: null,
  expires_at: '2026-11-21T10:15:00.000Z',
  sent_at: null,
  delivered_at: null,
  read_at: null,
  window_ends_at: null,
}

export const deliveredMessage: Message = {
  ...queuedMessage,
  status: 'delivered',
  attempts: 1,
  sent_at: '2026-11-20T10:15:00.042Z',
  delivered_at: '2026-11-20T10:15:00.310Z',
}

const busy: MessageError = {
  code: 'recipient_busy',
  detail: 'The recipient is busy. Posthorn tries again.',
  permanent: false,
  network_code: null,
}

export const attemptsOfMessage: readonly MessageAttempt[] = [
  {
    number: 1,
    started_at: '2026-11-20T10:14:58.731Z',
    ended_at: '2026-11-20T10:14:58.802Z',
    outcome: 'rejected',
    error: busy,
    next_attempt_at: '2026-11-20T10:14:59.790Z',
  },
  {
    number: 2,
    started_at: '2026-11-20T10:14:59.794Z',
    ended_at: '2026-11-20T10:15:00.042Z',
    outcome: 'accepted',
    error: null,
    next_attempt_at: null,
  },
]

export const stepsOfMessage: readonly MessageStep[] = [
  { status: 'queued', at: '2026-11-20T10:14:58.726Z', error: null },
  { status: 'sending', at: '2026-11-20T10:14:58.731Z', error: null },
  { status: 'sent', at: '2026-11-20T10:15:00.042Z', error: null },
  { status: 'delivered', at: '2026-11-20T10:15:00.310Z', error: null },
]

export const canceledMessage: Message = { ...queuedMessage, status: 'canceled' }

const { text: _, ...withoutText } = queuedMessage

export const queuedMedia: Message = {
  ...withoutText,
  kind: 'document',
  caption: 'Your invoice',
  media: { filename: 'invoice.pdf', mime_type: null, size: null, sha256: null },
}

export const queuedUpload: Message = {
  ...withoutText,
  kind: 'audio',
  caption: null,
  media: { filename: 'note.ogg', mime_type: 'audio/ogg', size: 21_480, sha256: '41b7'.repeat(16) },
}

export const queuedTemplate: Message = {
  ...withoutText,
  kind: 'template',
  template: {
    name: 'order_update',
    language: 'en_US',
    components: [
      {
        type: 'body',
        parameters: [
          { type: 'text', text: 'Ana' },
          { type: 'text', text: '4711' },
        ],
      },
    ],
  },
}

export const listedTemplate: Template = {
  name: 'order_update',
  language: 'en_US',
  category: 'utility',
  status: 'approved',
  network_status: 'APPROVED',
  rejected_reason: null,
  components: [{ type: 'BODY', text: 'Hello {{1}}, your order {{2}} is on its way.' }],
}

const trial = { id: 'inst_06fdw2n0q8me4t1c9z7rk5hsab', name: 'trial', metadata: {} }

export const queuedEvent: Event = {
  id: 'evt_06fdw2p7d8sq1m5v2b9x4hyk6n',
  type: 'message.queued',
  sequence: 41,
  epoch: '4jw8r0km',
  timestamp: '2026-11-20T10:15:00.000Z',
  data: { instance: trial, message: queuedMessage },
}

export const deliveredEvent: Event = {
  id: 'evt_06fdw2p7vr3c0t8g6n1zqa5e9w',
  type: 'message.delivered',
  sequence: 43,
  epoch: '4jw8r0km',
  timestamp: '2026-11-20T10:15:00.310Z',
  data: { instance: trial, message: deliveredMessage },
}

/** A stream of events from now on, as on the wire. */
export const eventStream = [
  'id: NDA\n\n',
  `id: NDE\nevent: message.queued\ndata: ${JSON.stringify(queuedEvent)}\n\n`,
  `id: NDM\nevent: message.delivered\ndata: ${JSON.stringify(deliveredEvent)}\n\n`,
].join('')
