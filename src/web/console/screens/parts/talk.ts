import { h } from 'preact'
import type { Message } from '../../../../contract/resources/message.ts'
import { folded } from '../conversations/folded.ts'
import { MessageLog } from '../conversations/message-log.ts'

const outgoing: Message = {
  id: 'msg_1',
  direction: 'outbound',
  origin: 'posthorn',
  instance: 'bakery',
  from: null,
  to: 'ana@example.org',
  conversation: 'ana@example.org',
  aliases: [],
  kind: 'text',
  status: 'read',
  text: 'Your order is on its way.',
  subject: null,
  relation: null,
  unsupported: null,
  network_message_id: '1',
  client_ref: null,
  metadata: {},
  error: null,
  notices: [],
  attempts: 1,
  created_at: '2026-01-15T10:15:00.000Z',
  send_at: null,
  expires_at: null,
  sent_at: '2026-01-15T10:15:00.042Z',
  delivered_at: '2026-01-15T10:15:00.310Z',
  read_at: '2026-01-15T10:16:00.000Z',
  window_ends_at: null,
}

const incoming: Message = {
  ...outgoing,
  id: 'msg_2',
  direction: 'inbound',
  origin: null,
  from: 'ana@example.org',
  to: 'bakery@example.org',
  status: 'received',
  text: 'Thank you! Can I pick it up, too?',
  sender: { address: 'ana@example.org', name: 'Ana Souza', username: null },
  network_message_id: '2',
  created_at: '2026-01-15T10:20:00.000Z',
}

const failed: Message = {
  ...outgoing,
  id: 'msg_3',
  status: 'failed',
  text: 'Yes, until six.',
  error: {
    code: 'recipient_unknown',
    detail: 'There is no such recipient.',
    permanent: true,
    network_code: null,
  },
  relation: { type: 'reply', message_id: 'msg_2', network_message_id: '2' },
  network_message_id: '3',
  created_at: '2026-01-15T10:21:00.000Z',
}

const place: Message = {
  ...outgoing,
  id: 'msg_4',
  kind: 'location',
  status: 'queued',
  text: 'The shop',
  location: { latitude: -23.55, longitude: -46.63, name: 'The shop', address: null } as NonNullable<
    Message['location']
  >,
  network_message_id: '4',
  created_at: '2026-01-15T10:22:00.000Z',
}

const messages = [place, failed, incoming, outgoing]
const orders = { reply: () => {}, edit: () => {}, retract: () => {}, react: async () => {} }

/** A conversation of a day: both sides, a failure, an answer, a place, and the steps of a message. */
export function Talk() {
  return [
    h(
      'div',
      { class: 'panel' },
      h(
        'div',
        { class: 'log' },
        h(MessageLog, {
          items: messages,
          entries: folded(messages),
          network: undefined,
          isGroup: false,
          mayWrite: true,
          orders,
          unreadLine: null,
          nameOf: () => 'Ana Souza',
        }),
      ),
    ),
    h(
      'ol',
      { class: 'timeline' },
      (['good', 'busy', 'attention', 'bad'] as const).map((tone) =>
        h('li', { key: tone, class: tone }, h('strong', null, `A step that is ${tone}`)),
      ),
    ),
  ]
}
